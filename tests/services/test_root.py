from __future__ import annotations

import os
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conftest import Desks, make_settings, write_files
from webapp.core.answering.model import Answer, Reason
from webapp.core.answering.question import InvalidQuestion
from webapp.core.documents.config import CollectionError
from webapp.core.documents.model import Status
from webapp.core.retrieval.index import build
from webapp.core.retrieval.model import Reader, Role
from webapp.services.model import AskOptions, Gone, StoredAnswer, UnknownCollection
from webapp.services.root import Services
from webapp.store.kept import Kept, Stored

CUSTOMER = Reader()
MEMBER = Reader(groups=frozenset({"staff"}))
AGENT = Reader(Role.AGENT)

RETURN = "Within how many days can I return a lamp?"
DISCOUNT = "Which discount do members of staff get on a lamp?"


def edit(desks: Desks, name: str, before: str, after: str) -> None:
    file = desks.shop / name
    file.write_text(file.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")


def ask(desks: Desks, question: str = RETURN, reader: Reader = CUSTOMER) -> Answer:
    answer = desks.services.desk().ask(question, reader)
    assert not answer.abstained, f"{question}: {answer.reason}"
    return answer


def opened(desks: Desks, answer: Answer, reader: Reader = CUSTOMER) -> StoredAnswer:
    stored = desks.services.answer(answer.id, reader)
    assert isinstance(stored, StoredAnswer)
    return stored


class TestCollections:
    def test_every_folder_of_the_corpus_is_served_the_default_first(self, shared_desks: Desks) -> None:
        cards = shared_desks.services.collections()
        assert [(card.name, card.default) for card in cards] == [("shop", True), ("school", False)]

    def test_one_can_be_served_alone(self, shared_desks: Desks) -> None:
        services = Services.open(shared_desks.settings, alone=True)
        assert [card.name for card in services.collections()] == ["shop"]

    def test_a_folder_from_elsewhere_is_served_alone(self, tmp_path: Path) -> None:
        write_files(tmp_path / "notes", {"a.md": "# A\n\nText.\n"})
        services = Services.open(make_settings(tmp_path, collection=str(tmp_path / "notes")))
        assert services.default == "notes"
        assert services.desk().folder == (tmp_path / "notes").resolve()

    def test_folders_of_one_name_have_indexes_of_their_own(self, tmp_path: Path) -> None:
        for place in ("one", "two"):
            write_files(tmp_path / place / "notes", {"a.md": f"# A\n\nText {place}.\n"})
            Services.open(make_settings(tmp_path, collection=str(tmp_path / place / "notes"))).desk().ensure_index()
        assert len(list((tmp_path / "instance" / "indexes").iterdir())) == 2

    def test_a_missing_one_is_said_with_those_there_are(self, shared_desks: Desks) -> None:
        with pytest.raises(CollectionError, match=r"no collection 'nowhere'.*: school, shop"):
            Services.open(shared_desks.settings.model_copy(update={"collection": "nowhere"}))
        with pytest.raises(UnknownCollection, match="'nowhere'; there are: shop, school"):
            shared_desks.services.desk("nowhere")

    def test_a_broken_one_does_not_stop_the_others(self, desks: Desks) -> None:
        (desks.folder / "corpus" / "school" / "collection.toml").write_text("title = [", encoding="utf-8")
        assert [card.name for card in Services.open(desks.settings).collections()] == ["shop"]

    def test_two_of_one_name_are_not_both_served(self, desks: Desks, caplog: pytest.LogCaptureFixture) -> None:
        (desks.folder / "corpus" / "school" / "collection.toml").write_text('name = "shop"', encoding="utf-8")
        services = Services.open(desks.settings)
        assert [desk.folder.name for desk in services.desks()] == ["shop"]
        assert "has the same name" in caplog.text

    def test_a_name_with_a_slash_can_not_stand_in_an_address(self, tmp_path: Path) -> None:
        write_files(tmp_path / "notes", {"collection.toml": 'name = "a/b"'})
        with pytest.raises(CollectionError, match="can't hold a slash"):
            Services.open(make_settings(tmp_path, collection=str(tmp_path / "notes")))


class TestAsking:
    def test_an_answer_is_kept_with_addresses_to_its_lines(self, desks: Desks) -> None:
        answer = ask(desks)
        assert "45 days" in answer.answer
        assert [citation.chunk_id for citation in answer.citations] == ["returns:c0"]
        address = urlsplit(answer.citations[0].url)
        assert (address.path, address.fragment) == ("/c/shop/sources/returns", "L10")
        assert parse_qs(address.query) == {"lines": ["10"], "answer": [answer.id], "n": ["1"]}
        assert opened(desks, answer).answer == answer.model_copy(update={"retrieved": ()})

    def test_an_abstention_is_kept_too(self, desks: Desks) -> None:
        answer = desks.services.desk().ask("Who won the cricket tournament?", CUSTOMER)
        assert (answer.abstained, answer.citations, answer.answer) == (True, (), "Our pages don't say.")
        assert opened(desks, answer).today == {}

    @pytest.mark.parametrize("question", ["", " \n", "😀", "x" * 20_000])
    def test_what_can_not_be_asked_is_not_kept(self, desks: Desks, question: str) -> None:
        with pytest.raises(InvalidQuestion):
            desks.services.desk().ask(question, CUSTOMER)

    def test_a_double_click_makes_one_answer(self, desks: Desks) -> None:
        desk = desks.services.desk()
        first = desk.ask(RETURN, CUSTOMER, AskOptions(once="form"))
        assert desk.ask(RETURN, CUSTOMER, AskOptions(once="form")) == first
        others = [
            desk.ask("How can I return a lamp?", CUSTOMER, AskOptions(once="form")),
            desk.ask(RETURN, MEMBER, AskOptions(once="form")),
            desk.ask(RETURN, CUSTOMER),
        ]
        assert first.id not in {other.id for other in others}

    def test_trying_out_keeps_nothing(self, desks: Desks) -> None:
        answer, trace = desks.services.desk().try_out(RETURN, CUSTOMER)
        assert trace.raw_reply
        assert desks.services.answer(answer.id, CUSTOMER) is None

    def test_observers_hear_of_every_new_answer(self, desks: Desks) -> None:
        heard: list[str] = []
        desks.services.observe(lambda answer, trace: heard.append(answer.id))
        answer = ask(desks)
        assert heard == [answer.id]

    def test_a_command_leaves_its_answer_where_the_server_finds_it(self, desks: Desks) -> None:
        brief = Services.open(desks.settings, alone=True, brief=True)
        answer = brief.desk().ask(RETURN, CUSTOMER)
        assert "store" not in brief._keeper.__dict__, "no database was opened"
        assert opened(desks, answer).answer.answer == answer.answer
        assert list((desks.settings.instance / "inbox").iterdir()) == []

    def test_what_can_not_be_taken_in_keeps_nothing_else_out(self, desks: Desks) -> None:
        brief = Services.open(desks.settings, alone=True, brief=True)
        inbox = desks.settings.instance / "inbox"
        inbox.mkdir()
        for name, text in (("a", "{"), ("b", "{}"), ("c", "[]")):
            (inbox / f"{name}.json").write_text(text, encoding="utf-8")
        answer = brief.desk().ask(RETURN, CUSTOMER)
        desks.services.tidy()
        assert opened(desks, answer)
        assert sorted(file.name for file in inbox.iterdir()) == ["a.unreadable", "b.unreadable", "c.unreadable"]


class TestWhoMayOpen:
    def test_unknown_ids_are_none(self, shared_desks: Desks) -> None:
        assert shared_desks.services.answer("made-up", CUSTOMER) is None
        assert shared_desks.services.record("made-up", AGENT) is None

    def test_only_readers_who_may_see_every_source(self, desks: Desks) -> None:
        answer = ask(desks, DISCOUNT, MEMBER)
        assert opened(desks, answer, MEMBER).answer.citations
        assert [desks.services.answer(answer.id, reader) for reader in (CUSTOMER, AGENT)] == [None, None]

    def test_a_closed_page_is_no_evidence(self, desks: Desks) -> None:
        answer = desks.services.desk().ask(DISCOUNT, CUSTOMER)
        assert "discounts" not in {chunk.document_id for chunk in answer.retrieved}
        assert "discounts" not in {page.document_id for page in answer.nearest}

    def test_a_page_that_was_closed_later_closes_its_answers(self, desks: Desks) -> None:
        answer = ask(desks)
        edit(desks, "returns.md", "lang: en", "lang: en\naudience: staff")
        assert desks.services.answer(answer.id, CUSTOMER) is None
        assert opened(desks, answer, MEMBER)

    def test_a_page_that_was_opened_later_does_not_open_what_it_was(self, desks: Desks) -> None:
        answer = ask(desks, DISCOUNT, MEMBER)
        edit(desks, "discounts.md", "audience: staff\n", "")
        assert desks.services.answer(answer.id, CUSTOMER) is None
        assert ask(desks, DISCOUNT)

    def test_nearest_pages_are_those_this_reader_may_see(self, desks: Desks) -> None:
        answer = desks.services.desk().ask("Is there a discount on the moon?", MEMBER)
        assert "discounts" in {page.document_id for page in answer.nearest}
        assert "discounts" not in {page.document_id for page in opened(desks, answer, CUSTOMER).answer.nearest}

    def test_how_it_was_made_is_for_staff(self, desks: Desks) -> None:
        answer = ask(desks, reader=MEMBER)
        assert opened(desks, answer, CUSTOMER).answer.retrieved == ()
        record = desks.services.record(answer.id, AGENT)
        assert record
        assert record.reader_role == "customer"
        retrieved = {chunk.document_id for chunk in record.answer.retrieved}
        assert "returns" in retrieved
        assert "discounts" not in retrieved, "the agent may not see it, though the asker did"

    def test_a_prompt_that_holds_a_closed_page_is_for_those_who_may_see_that_page(self, desks: Desks) -> None:
        answer = ask(desks, reader=MEMBER)
        assert "discounts" in {chunk.document_id for chunk in answer.retrieved if chunk.sent}
        for groups in ("", "staff"):
            record = desks.services.record(answer.id, Reader(Role.AGENT, frozenset({groups})))
            assert record
            assert (record.trace.prompt is not None) is (groups == "staff")
            assert ("30 percent" in str(record.trace)) is (groups == "staff")

    def test_an_answer_whose_copy_is_gone_opens_for_nobody(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = ask(desks)
        monkeypatch.setattr("webapp.store.snapshots.Snapshots.get", lambda *_: None)
        assert desks.services.answer(answer.id, Reader(Role.ADMIN)) is None

    def test_an_answer_of_a_collection_that_is_not_served_is_unknown(self, desks: Desks) -> None:
        answer = ask(desks)
        other = Services.open(desks.settings.model_copy(update={"collection": "school"}), alone=True)
        assert other.answer(answer.id, CUSTOMER) is None
        other.close()

    def test_erased_ones_say_so(self, desks: Desks) -> None:
        answer = ask(desks)
        desks.services.store.answers.erase(answer.id)
        gone = desks.services.answer(answer.id, CUSTOMER)
        assert isinstance(gone, Gone)
        assert gone.why == "erased"

    def test_retention_counts_before_the_erasing_has_run(self, desks: Desks) -> None:
        answer = ask(desks)
        found = desks.services.store.answers.get(answer.id)
        assert isinstance(found, Stored)
        old = found.answer.model_copy(update={"id": "old", "created_at": datetime.now(UTC) - timedelta(days=181)})
        copy = desks.services.store.snapshots.get(found.snapshots["returns"])
        assert copy
        desks.services.store.answers.add(Kept(old, found.trace, "customer", {"returns": copy}))
        gone = desks.services.answer("old", CUSTOMER)
        assert isinstance(gone, Gone)
        assert gone.why == "retention"


class TestSources:
    def test_as_served_now(self, shared_desks: Desks) -> None:
        source = shared_desks.services.desk().source("returns", CUSTOMER)
        assert source
        assert source.document.title == "Returning lamps"
        assert (source.snapshot, source.answer, source.today.status) == (None, None, Status.CURRENT)

    @pytest.mark.parametrize(("document_id", "customer", "agent"), [
        ("returns", True, True), ("returns-1", True, True), ("plans", False, True), ("discounts", False, False),
        ("made-up", False, False),
    ])  # fmt: skip
    def test_who_may_open_what(self, shared_desks: Desks, document_id: str, customer: bool, agent: bool) -> None:
        desk = shared_desks.services.desk()
        assert (desk.source(document_id, CUSTOMER) is not None) is customer
        assert (desk.source(document_id, AGENT) is not None) is agent
        assert (desk.document(document_id, CUSTOMER) is not None) is customer

    def test_lists_and_counts_hold_what_the_reader_may_see(self, shared_desks: Desks) -> None:
        desk = shared_desks.services.desk()
        assert [one.id for one in desk.documents(CUSTOMER)] == ["bulbs", "delivery", "returns", "returns-1"]
        assert [one.id for one in desk.documents(AGENT)] == ["bulbs", "delivery", "plans", "returns", "returns-1"]
        assert [desk.current_count(reader) for reader in (CUSTOMER, AGENT, MEMBER)] == [3, 3, 4]
        assert desk.current_count(CUSTOMER, "bn") == 0

    def test_as_it_was_when_the_answer_was_made(self, desks: Desks) -> None:
        answer = ask(desks)
        edit(desks, "returns.md", "45 days", "60 days")
        source = desks.services.desk().source("returns", CUSTOMER, answer_id=answer.id)
        assert source
        assert "45 days" in source.document.text
        assert source.today.changed
        assert source.answer == answer.model_copy(update={"retrieved": answer.retrieved})
        assert opened(desks, answer).today["returns"].changed
        assert "60 days" in ask(desks).answer

    def test_by_the_hash_of_the_copy(self, desks: Desks) -> None:
        answer = ask(desks)
        edit(desks, "returns.md", "45 days", "60 days")
        desk = desks.services.desk()
        cited = desk.source("returns", CUSTOMER, answer_id=answer.id)
        assert cited
        copy = desk.source("returns", CUSTOMER, at=cited.snapshot)
        assert copy == replace(cited, answer=None)
        assert desk.source("plans", CUSTOMER, at=cited.snapshot) is None
        assert desk.source("returns", CUSTOMER, at="0" * 64) is None

    def test_a_copy_is_the_document_in_every_field(self, desks: Desks) -> None:
        os.utime(desks.shop / "returns.md", (0, 0))
        answer = ask(desks)
        before = desks.services.desk().document("returns", CUSTOMER)
        source = desks.services.desk().source("returns", CUSTOMER, answer_id=answer.id)
        assert source
        assert source.document == before
        assert not source.today.changed

    def test_an_answer_that_does_not_cite_it_counts_as_none(self, desks: Desks) -> None:
        answer = ask(desks)
        source = desks.services.desk().source("returns-1", CUSTOMER, answer_id=answer.id)
        assert source
        assert (source.snapshot, source.answer) == (None, None)

    def test_an_answer_gives_no_way_around_the_audience(self, desks: Desks) -> None:
        answer = ask(desks, DISCOUNT, MEMBER)
        desk = desks.services.desk()
        cited = desk.source("discounts", MEMBER, answer_id=answer.id)
        assert cited
        assert desk.source("discounts", CUSTOMER, answer_id=answer.id) is None
        assert desk.source("discounts", CUSTOMER, at=cited.snapshot) is None

    def test_a_superseded_one_names_its_replacement(self, shared_desks: Desks) -> None:
        source = shared_desks.services.desk().source("returns-1", CUSTOMER)
        assert source
        assert (source.today.superseded_by, source.today.superseded_by_title) == ("returns", "Returning lamps")

    def test_a_replacement_that_is_closed_is_not_named(self, desks: Desks) -> None:
        edit(desks, "returns-1.md", "superseded_by: returns", "superseded_by: discounts")
        source = desks.services.desk().source("returns-1", CUSTOMER)
        assert source
        assert (source.today.superseded_by, source.today.superseded_by_title) == (None, None)

    def test_a_withdrawn_one_is_closed_to_customers(self, desks: Desks) -> None:
        answer = ask(desks)
        edit(desks, "returns.md", "status: current", "status: withdrawn")
        desk = desks.services.desk()
        assert desk.source("returns", CUSTOMER) is None
        for reader, closed in ((CUSTOMER, True), (AGENT, False)):
            source = desk.source("returns", reader, answer_id=answer.id)
            assert source
            assert (source.closed, source.today.withdrawn) == (closed, True)
            stored = opened(desks, answer, reader)
            assert stored.withheld is closed
            assert ("45 days" in stored.answer.model_dump_json()) is not closed

    def test_a_file_that_is_gone_still_opens_from_its_answer(self, desks: Desks) -> None:
        answer = ask(desks)
        (desks.shop / "returns.md").unlink()
        source = desks.services.desk().source("returns", CUSTOMER, answer_id=answer.id)
        assert source
        assert (source.today.status, source.today.changed) == (None, True)
        assert desks.services.desk().source("returns", CUSTOMER) is None


class TestUpkeep:
    def test_a_ready_installation_has_no_problems(self, shared_desks: Desks) -> None:
        assert shared_desks.services.problems() == {}

    def test_a_missing_index_and_a_stale_one_are_said(self, desks: Desks) -> None:
        assert desks.services.problems()["index shop"] == "no index"
        desks.services.desk().ensure_index()
        edit(desks, "returns.md", "45 days", "60 days")
        assert desks.services.problems()["index shop"] == "older than the files"

    def test_the_next_question_is_answered_from_the_files_as_they_are(self, desks: Desks) -> None:
        ask(desks)
        edit(desks, "returns.md", "status: current", "status: superseded")
        assert desks.services.desk().ask(RETURN, CUSTOMER).abstained
        edit(desks, "returns.md", "status: superseded", "status: current")
        assert ask(desks)

    def test_what_is_withdrawn_is_gone_from_the_hints_as_well(self, desks: Desks) -> None:
        question = "Which socket does a halogen spotlight in the garden need?"
        near = desks.services.desk().ask(question, CUSTOMER)
        assert near.abstained
        assert "bulbs" in [page.document_id for page in near.nearest]
        edit(desks, "bulbs.md", "status: current", "status: withdrawn")
        after = desks.services.desk().ask(question, CUSTOMER)
        assert after.abstained
        assert "bulbs" not in [page.document_id for page in after.nearest]
        for reader in (CUSTOMER, AGENT):
            assert not desks.services.desk().ask("Which bulb fits a desk lamp?", reader).citations

    def test_touched_files_need_no_new_version(self, desks: Desks) -> None:
        desk = desks.services.desk()
        report = desk.ensure_index()
        assert report
        assert report.built
        os.utime(desks.shop / "returns.md", (1, 1))
        assert desk.ensure_index() is None
        assert len(desk.versions()) == 1
        assert desks.services.desk().problem() == ""

    def test_files_that_can_not_be_indexed_leave_the_last_version(self, desks: Desks) -> None:
        answer = ask(desks)
        (desks.shop / "collection.toml").write_text("title = [", encoding="utf-8")
        again = ask(desks)
        assert again.index_version == answer.index_version
        assert "no index could be built" in desks.services.desk().problem()

    def test_a_rollback_lasts_until_the_files_change(self, desks: Desks) -> None:
        desk = desks.services.desk()
        first = ask(desks).index_version
        edit(desks, "returns.md", "45 days", "60 days")
        assert "60 days" in ask(desks).answer
        desk.rollback(first)
        assert "45 days" in ask(desks).answer
        edit(desks, "returns.md", "60 days", "90 days")
        assert "90 days" in ask(desks).answer

    def test_a_strategy_chosen_on_purpose_stays(self, desks: Desks) -> None:
        desk = desks.services.desk()
        desk.index("fixed", {"size": 60, "overlap": 10})
        edit(desks, "returns.md", "45 days", "60 days")
        desk.ensure_index()
        served = desk.served()
        assert served
        assert (served.strategy, served.options) == ("fixed", {"size": 60, "overlap": 10})

    def test_another_process_notices_a_new_version(self, desks: Desks) -> None:
        other = Services.open(desks.settings)
        desks.services.desk().ensure_index()
        other.desk().ensure_index()
        edit(desks, "returns.md", "45 days", "60 days")
        report = desks.services.desk().ensure_index()
        served = other.desk().served()
        assert report
        assert served
        assert served.id == report.version

    def test_files_are_read_again_only_when_they_change(self, desks: Desks) -> None:
        desk = desks.services.desk()
        first = desk.files()
        assert desk.files() is first
        edit(desks, "returns.md", "45 days", "60 days")
        assert desk.files() is not first

    def test_tidying_erases_what_is_over(self, desks: Desks) -> None:
        answer = ask(desks)
        desks.services.tidy()
        assert opened(desks, answer)
        assert answer.reason is Reason.OK

    def test_readers_do_not_wait_for_a_long_build(self, desks: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("webapp.services.index.PATIENCE", 0.05)
        ask(desks)
        go_on = threading.Event()
        monkeypatch.setattr(
            "webapp.services.index.build", lambda *given, **options: go_on.wait(10) and build(*given, **options)
        )
        edit(desks, "returns.md", "45 days", "60 days")
        try:
            assert "45 days" in ask(desks).answer
            assert "45 days" in ask(desks).answer
        finally:
            go_on.set()
        monkeypatch.setattr("webapp.services.index.PATIENCE", 10)
        assert "60 days" in ask(desks).answer
