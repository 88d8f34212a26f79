"""The staff's page of one answer: what was seen, sources then and now, the journey, the question today, rights."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from functools import partial
from html import unescape
from typing import Any

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.answering.model import Answer, Check, Reason, Trace
from webapp.core.answering.prompt import Budget
from webapp.core.retrieval.model import LeftOut, Reader, Role
from webapp.services.copies import snapshot_of
from webapp.store.feedback import Vote
from webapp.store.kept import Kept

QUESTION = "Within how many days can I return a lamp?"
CUSTOMER = Reader()
INSIDER = Reader(Role.CUSTOMER, frozenset({"staff"}))


def agent_of(desks: Desks, *groups: str, language: str = "en") -> Client:
    """An agent's browser."""
    accounts = desks.services.accounts
    invited = accounts.invite(f"agent{len(groups)}{language}@lamps.example", Role.AGENT, frozenset(groups))
    return Client(desks.app, language).enter(accounts.accept(invited, "", PASSWORD))


def ask(desks: Desks, question: str = QUESTION, reader: Reader = CUSTOMER) -> str:
    """Ask; return the address of the staff's page."""
    return f"/agent/answers/{desks.services.desk().ask(question, reader).id}"


def edit(desks: Desks, name: str, old: str, new: str) -> None:
    text = (desks.shop / name).read_text(encoding="utf-8")
    assert old in text
    (desks.shop / name).write_text(text.replace(old, new), encoding="utf-8")


def text_of(html: str) -> str:
    """A page's words, white space folded."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


NO_ANSWER: dict[str, Any] = {
    "abstained": True,
    "confidence": None,
    "statements": (),
    "citations": (),
    "answer": "None.",
}


def keep(desks: Desks, made: Answer, trace: Trace) -> str:
    """Keep an answer as if it had been given to a customer; return the address of the staff's page."""
    version = desks.services.desk().live()
    copies = {one.document_id: snapshot_of(version, one.document_id) for one in made.citations}
    desks.services.store.answers.add(Kept(made, trace, "customer", copies, groups=frozenset()))
    return f"/agent/answers/{made.id}"


def tried(desks: Desks, question: str = QUESTION, reader: Reader = CUSTOMER) -> tuple[Answer, Trace]:
    """An answer that is not kept."""
    return desks.services.desk().try_out(question, reader)


def stages(html: str) -> list[str]:
    """Each stage in its one line."""
    return [text_of(summary) for summary in re.findall(r"<summary><span class=\"outcome.*?</summary>", html, re.DOTALL)]


def test_an_answer_with_its_journey(desks: Desks) -> None:
    page = agent_of(desks).get(ask(desks)).text
    found, enough, prompt, reply, checks = stages(page)
    assert re.search(r"Found \d passages [\d.]+ ms", found)
    assert re.search(r"Enough\? yes: [\d.]+%, limit [\d.]+%", enough)
    assert re.search(r"Prompt (\d of )?\d passages sent", prompt)
    assert "extractive" in reply
    assert "all passed" in checks
    assert "&lt;evidence source=&#34;returns:c0&#34;&gt;" in page
    assert "within 45 days" in page
    assert "The page is unchanged since it was cited." in page
    assert "Asked in Lamp shop by a customer" in text_of(page)


def test_l04_of_a_prompt_bigger_than_the_window_it_says_how_many_passages_were_sent(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.services.desk.Budget", partial(Budget, window=100))
    page = agent_of(desks).get(ask(desks)).text
    found = len(re.findall(r'<tr><th scope="row">', page))
    assert found > 1
    assert f"Prompt 1 of {found} passages sent" in stages(page)[2]
    assert text_of(page).count("no: enough was sent before it") == found - 1
    assert "all passed" in stages(page)[4], "what was sent is answered from"


def test_an_answer_that_was_known_leads_to_the_one_it_was_worked_out_for(desks: Desks) -> None:
    first, second = ask(desks), ask(desks)
    agent = agent_of(desks)
    words = "the same question, asked a little earlier"
    assert words not in agent.get(first).text
    assert f'<a href="{first}">{words}</a>' in agent.get(second).text


def test_what_was_left_out_says_why(desks: Desks) -> None:
    page = text_of(agent_of(desks).get(ask(desks)).text)
    assert "Near the question, but not looked at" in page
    assert re.search(r"Returning lamps line 11 · superseded", page)


def test_an_abstention_says_where_it_ended(desks: Desks) -> None:
    page = agent_of(desks).get(ask(desks, "What is the weather on Mars?")).text
    _, enough, prompt, reply, checks = stages(page)
    assert "no: " in enough
    assert "not made" in prompt
    assert "the model was not called" in reply
    assert "not made" in checks
    assert "no: below the limit" in text_of(page)
    assert "Copy citation" not in page


def test_a_failed_check_is_named_with_what_failed(desks: Desks) -> None:
    made, trace = tried(desks)
    checks = (Check("complete", "passed"), Check("json", "failed", "not one JSON object: <b>"))
    withheld = made.model_copy(update=NO_ANSWER | {"reason": Reason.INVALID_JSON})
    page = agent_of(desks).get(keep(desks, withheld, replace(trace, checks=checks))).text
    assert "failed: It is one JSON object" in stages(page)[4]
    assert "not one JSON object: &lt;b&gt;" in page


def test_an_answer_from_before_checks_were_kept_still_opens(desks: Desks) -> None:
    made, trace = tried(desks)
    address = keep(desks, made, replace(trace, checks=(), left_out=(), limits={}, signals={}))
    assert "was not kept at that time" in agent_of(desks).get(address).text


def test_near_duplicates_that_gave_way_are_named(desks: Desks) -> None:
    made, trace = tried(desks)
    address = keep(desks, made, replace(trace, left_out=(LeftOut("bulbs:c0", "bulbs", "near_duplicate", 0.4),)))
    page = text_of(agent_of(desks).get(address).text)
    assert "Bulbs and brightness (bulbs:c0) · says the same as another" in page


@pytest.mark.parametrize(
    ("probability", "shown"), [(0.995, "99.5%"), (0.9999, "99.9%"), (1.0, "100.0%"), (0.29, "29.0%")]
)
def test_what_is_less_than_certain_never_reads_as_certain(desks: Desks, probability: float, shown: str) -> None:
    made, trace = tried(desks)
    address, client = keep(desks, made.model_copy(update={"probability": probability}), trace), agent_of(desks)
    assert f"yes: {shown}" in client.get(address).text
    assert f"<dd>{shown}</dd>" in client.get(address.removeprefix("/agent")).text


def test_a_changed_page_shows_both_texts_and_where_the_cited_lines_stand(desks: Desks) -> None:
    address = ask(desks)
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    page = agent_of(desks).get(address).text
    assert "The page has changed since, and the cited lines with it." in page
    assert "<del>45</del>" in page
    assert "<ins>60</ins>" in page
    assert re.search(r'<details class="changes" open>', page)


def test_lines_that_only_moved_are_found_again(desks: Desks) -> None:
    address = ask(desks)
    edit(desks, "returns.md", "## Returning", "A new line above.\n\n## Returning")
    page = agent_of(desks).get(address).text
    assert "The page has changed since; the cited lines are the same, now line 12." in page
    assert 'class="changes">' in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("status: current", "status: superseded\nsuperseded_by: delivery"), "This page has been replaced."),
        (("status: current", "status: withdrawn"), "This page has been withdrawn."),
        (("status: current", "status: archived"), "This page is archived"),
        (("status: current", "status: draft"), "This is a draft."),
        (("id: returns\n", "id: returns-new\n"), "This page is no longer among our documents."),
    ],
)
def test_a_banner_says_what_has_become_of_a_page(desks: Desks, change: tuple[str, str], words: str) -> None:
    address = ask(desks)
    edit(desks, "returns.md", *change)
    page = agent_of(desks).get(address).text
    assert words in page
    assert "within 45 days" in page
    if "superseded" in change[1]:
        assert 'href="/c/shop/sources/delivery"' in page
        assert "/agent/diff?collection=shop&amp;document=returns&amp;one=now&amp;other=page:delivery" in page


def test_the_same_question_today(desks: Desks) -> None:
    address, client = ask(desks), agent_of(desks)
    same = client.post(f"{address}/again").text
    assert "The same today." in same
    assert "<html" in same
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    other = client.post(f"{address}/again", headers={"HX-Request": "true"}).text
    assert "Other words today, from the same sources." in other
    assert "<del>45</del>" in other
    assert "<html" not in other


def test_a_citation_as_text_names_quote_title_version_lines_and_link(desks: Desks) -> None:
    page = agent_of(desks).get(ask(desks)).text
    field = re.search(r'<textarea id="copy-1" readonly[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    assert field
    quote, place, link = unescape(field[1]).split("\n")
    assert quote == "“You can return a lamp within 45 days of delivery for a full refund.”"
    assert place.startswith("Returning lamps, version 2, Returning a lamp, line 10, cited ")
    assert re.fullmatch(r"http://localhost/c/shop/sources/returns\?lines=10&answer=[\w-]{22}&n=1#L10", link)


def test_a_golden_question_is_proposed_with_its_place(desks: Desks) -> None:
    client, address = agent_of(desks), ask(desks)
    response = client.post(f"{address}/golden", {"note": "asked often"})
    assert response.status_code == 303
    assert "proposed for the golden set" in client.get(response.headers["Location"]).text
    (proposal,), _ = desks.services.golden.proposals("shop")
    assert (proposal.question, proposal.origin, proposal.note) == (QUESTION, "agent", "asked often")
    assert proposal.label == {"document": "returns", "lines": [10, 10]}


def test_what_readers_minded_stands_in_the_proposal(desks: Desks) -> None:
    client, address = agent_of(desks), ask(desks)
    for reader, vote in enumerate((Vote(False, "outdated", "It is 30 now"), Vote(True, words="Fine"), Vote(False))):
        desks.services.store.feedback.put(address.rsplit("/", 1)[1], str(reader), vote)
    client.post(f"{address}/golden", {"note": "asked often"})
    (proposal,), _ = desks.services.golden.proposals("shop")
    assert (proposal.origin, proposal.note) == ("reader", "asked often\noutdated: It is 30 now")


def test_erasing_the_answer_takes_the_proposal_along(desks: Desks) -> None:
    client, address = agent_of(desks), ask(desks)
    client.post(f"{address}/golden")
    desks.services.history.erase(address.rsplit("/", 1)[1])
    assert desks.services.golden.proposals("shop") == ([], False)


def test_a_wrong_page_is_reported_by_name(desks: Desks) -> None:
    client, address = agent_of(desks), ask(desks)
    assert client.post(f"{address}/report", {"marker": "7"}).status_code == 400
    response = client.post(f"{address}/report", {"marker": "1", "note": "It is 60 days by now."})
    assert "The editors have your report" in client.get(response.headers["Location"]).text
    (proposal,), _ = desks.services.golden.proposals("shop")
    place = "Returning lamps (returns), Returning a lamp, line 10"
    assert proposal.note == f"Reported as wrong: {place}\nIt is 60 days by now."
    assert proposal.label is None


def send(client: Client, address: str) -> Any:
    """Read the page itself, or do what the address is for."""
    return client.get(address) if address.count("/") == 3 else client.post(address)


@pytest.mark.parametrize("act", ["", "/again", "/golden", "/report"])
def test_an_answer_from_a_page_closed_to_the_agent_is_like_none(
    desks: Desks, act: str, caplog: pytest.LogCaptureFixture
) -> None:
    """P04: the log says denied, the page only what it says of any address that leads nowhere."""
    address = ask(desks, "Which discount do members of staff get?", INSIDER) + act
    outsider, insider = agent_of(desks), agent_of(desks, "staff")
    with caplog.at_level(logging.INFO):
        refused = send(outsider, address)
    made_up = send(outsider, f"/agent/answers/made-up{act}")
    assert refused.status_code == made_up.status_code == 404
    assert "There is no page at this address, or it is not open to you." in refused.text
    assert any("denied" in message for message in caplog.messages)
    assert send(insider, address).status_code != 404


def test_a_prompt_that_holds_a_closed_page_is_not_shown(desks: Desks) -> None:
    """An abstention cites nothing, so it opens; what its prompt, reply and checks say of a closed page does not."""
    made, trace = tried(desks, "Which discount do members of staff get?", INSIDER)
    said = "discounts:c0: 30 percent"
    withheld = made.model_copy(update=NO_ANSWER | {"reason": Reason.CONFLICTING_SOURCES})
    address = keep(desks, withheld, replace(trace, checks=(Check("no_conflict", "failed", said),), detail=said))
    closed, opened = agent_of(desks).get(address).text, agent_of(desks, "staff").get(address).text
    assert "It holds a page that is not open to you" in closed
    assert "30 percent" not in closed
    assert "discounts:c0" not in closed
    assert opened.count("30 percent") >= 2


def test_a_withdrawn_answer_stays_readable_for_staff(desks: Desks) -> None:
    address = ask(desks)
    edit(desks, "returns.md", "status: current", "status: withdrawn")
    assert "within 45 days" in agent_of(desks).get(address).text
    assert "within 45 days" not in desks.client().get(address.removeprefix("/agent")).text


def test_an_erased_answer_says_so(desks: Desks) -> None:
    address, client = ask(desks), agent_of(desks)
    desks.services.store.answers.erase(address.rpartition("/")[2])
    for response in (client.get(address), client.post(f"{address}/again")):
        assert response.status_code == 410
        assert "It was erased on request" in response.text
    assert client.post(f"{address}/golden").status_code == 410


def test_in_bangla_the_words_are_bangla_and_so_are_the_digits(desks: Desks) -> None:
    address = ask(desks)
    edit(desks, "returns.md", "within 45 days", "within 60 days")
    page = agent_of(desks, language="bn").post(f"{address}/again").text
    for words in ("আজ কথা আলাদা, উৎস একই।", "গ্রাহক যা দেখেছেন", "কীভাবে তৈরি হয়েছে", "উদ্ধৃতি কপি করুন", "সবই উত্তীর্ণ"):
        assert words in page
    assert '<span lang="en">Returning lamps / ' in page
    assert re.search(r"হ্যাঁ: [০-৯]+\.[০-৯]%, সীমা", page)
    for left in ("Found", "Enough?", "passed", "unchanged line", "Ask again", "Copy citation", "What changed"):
        assert left not in text_of(page)
