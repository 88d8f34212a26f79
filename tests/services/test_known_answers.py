from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webapp.services.desk
from tests.conftest import Desks
from webapp.core.answering.model import Answer, Followed, ModelUnavailable, Reason, Trace
from webapp.core.retrieval.chosen import embedder_of
from webapp.core.retrieval.embedders.base import Embedder, Vectors
from webapp.core.retrieval.model import Reader, Role
from webapp.services.desk import NO_OPTIONS, Desk
from webapp.services.known_answers import Asking, KnownAnswers
from webapp.services.model import AskOptions, StoredAnswer

QUESTION = "Within how many days can I return a lamp?"
ASKING = Asking(QUESTION, Reader(), "v1", "extractive", date(2026, 11, 30), "en", None, frozenset(), None)
MEMBER = Reader(groups=frozenset({"staff"}))


def made(reason: Reason = Reason.OK, model: str = "extractive") -> tuple[Answer, Trace]:
    answer = Answer(
        id=f"answer-{time.monotonic_ns()}",
        question=QUESTION,
        lang="en",
        collection="shop",
        index_version="v1",
        model=model,
        created_at=datetime.now(UTC),
        abstained=reason is not Reason.OK,
        reason=reason,
        confidence=None,
        answer="45 days",
    )
    return answer, Trace(None, "", "", "")


class Counting:
    """Makes answers, slowly if wanted, and counts how many."""

    def __init__(self, seconds: float = 0.0, error: BaseException | None = None, failures: int = 99) -> None:
        self.calls, self.seconds, self.error, self.failures = 0, seconds, error, failures

    def __call__(self) -> tuple[Answer, Trace]:
        self.calls += 1
        time.sleep(self.seconds)
        if self.error and self.calls <= self.failures:
            raise self.error
        return made()


def test_the_same_asking_is_worked_out_once_and_is_another_answer() -> None:
    known, make = KnownAnswers(10), Counting()
    (first, how), (second, again) = known.get(ASKING, make), known.get(ASKING, make)
    assert make.calls == 1
    assert first.id != second.id
    assert (how.same_as, again.same_as) == ("", first.id)
    assert second.created_at >= first.created_at


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKING, question="How many days?"),
        replace(ASKING, reader=MEMBER),
        replace(ASKING, reader=Reader(Role.AGENT)),
        replace(ASKING, index_version="v2"),
        replace(ASKING, model="another"),
        replace(ASKING, day=date(2026, 12, 1)),
        replace(ASKING, lang="bn"),
        replace(ASKING, only_lang="en"),
        replace(ASKING, attributes=frozenset({("city", "Dhaka")})),
        replace(ASKING, follows=Followed(answer_id="a", question="Lamps?")),
    ],
)
def test_whatever_an_answer_depends_on_makes_another_asking(other: Asking) -> None:
    known, make = KnownAnswers(10), Counting()
    known.get(ASKING, make)
    assert known.get(other, make)[1].same_as == ""


def test_only_so_many_are_remembered_the_last_ones() -> None:
    known, make = KnownAnswers(2), Counting()
    for question in ("a", "b", "a", "c", "a", "b"):
        known.get(replace(ASKING, question=question), make)
    assert make.calls == 4  # a, b, c, and b again: it was asked longest ago when c came


def test_none_is_remembered_when_that_is_turned_off() -> None:
    known, make = KnownAnswers(0), Counting()
    known.get(ASKING, make)
    known.get(ASKING, make)
    assert make.calls == 2


@pytest.mark.parametrize("answer", [made(Reason.MODEL_UNAVAILABLE), made(Reason.TRUNCATED), made(model="extractive")])
def test_an_accident_is_not_remembered_nor_what_stood_in_for_the_model(answer: tuple[Answer, Trace]) -> None:
    known, make = KnownAnswers(10), Counting()
    asking = replace(ASKING, model="gpt")
    known.get(asking, lambda: answer)
    known.get(asking, make)
    assert make.calls == 1


def at_once(known: KnownAnswers, make: Counting, times: int = 8) -> list[object]:
    got: list[object] = []

    def ask() -> None:
        try:
            got.append(known.get(ASKING, make)[0].id)
        except (ModelUnavailable, SystemExit) as error:
            got.append(type(error))

    threads = [threading.Thread(target=ask) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return got


@pytest.mark.parametrize("most", [0, 10])
def test_what_several_ask_at_once_is_worked_out_once(most: int) -> None:
    make = Counting(0.2)
    ids = at_once(KnownAnswers(most), make)
    assert (make.calls, len(set(ids))) == (1, 8)


def test_what_fails_fails_for_all_who_wait_and_is_tried_again_afterwards() -> None:
    known, make = KnownAnswers(10), Counting(0.2, ModelUnavailable("down"))
    assert at_once(known, make) == [ModelUnavailable] * 8
    assert make.calls == 1
    make.error = None
    assert known.get(ASKING, make)[1].same_as == ""


@pytest.mark.parametrize("most", [0, 10])
def test_who_waits_for_one_that_is_stopped_is_answered_all_the_same(most: int) -> None:
    """Its thread was ended, or the server is going: that is nobody else's end."""
    make = Counting(0.2, SystemExit(1), failures=2)
    got = at_once(KnownAnswers(most), make)
    assert got.count(SystemExit) == 2
    assert (make.calls, len({one for one in got if isinstance(one, str)})) == (3, 6)


def test_a_question_to_another_version_lets_go_of_all_that_was_known() -> None:
    known, make, answers = KnownAnswers(10), Counting(), list[weakref.ref[Answer]]()

    def remembered() -> tuple[Answer, Trace]:
        one = make()
        answers.append(weakref.ref(one[0]))
        return one

    for question in "abc":
        known.get(replace(ASKING, question=question), remembered)
    gc.collect()
    assert all(one() for one in answers)
    with pytest.raises(ModelUnavailable):  # nothing of the new version is known yet, and nothing of the old one is
        known.get(replace(ASKING, index_version="v2"), Counting(error=ModelUnavailable("down")))
    gc.collect()
    assert not any(one() for one in answers)


def test_an_answer_of_the_version_before_that_comes_late_does_not_push_out_the_new_ones() -> None:
    known, make = KnownAnswers(10), Counting()
    new = replace(ASKING, index_version="v2")

    def slowly() -> tuple[Answer, Trace]:
        known.get(new, make)
        return make()

    known.get(ASKING, slowly)
    assert known.get(new, make)[1].same_as
    assert known.get(ASKING, make)[1].same_as == ""


@pytest.fixture(scope="module")
def asked(shared_desks: Desks) -> Desk:
    return shared_desks.services.desk()


QUESTIONS = (
    QUESTION,
    "What discount do members of staff get?",
    "What does delivery cost?",
    "Can I pay in instalments?",
    "২ + ৪?",
)
READERS = (Reader(), MEMBER, Reader(Role.AGENT), Reader(Role.ADMIN, frozenset({"staff"})))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(QUESTIONS),
            st.sampled_from(READERS),
            st.sampled_from([NO_OPTIONS, AskOptions(lang="bn"), AskOptions(only_lang="en")]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_an_answer_is_the_same_but_for_its_name_and_time(
    asked: Desk, asking: list[tuple[str, Reader, AskOptions]]
) -> None:
    """Whoever asked before: nobody is told what was meant for readers of other groups or another language."""
    for question, reader, options in asking:
        told, (worked_out, _) = asked.ask(question, reader, options), asked.try_out(question, reader, options)
        alike = {"id", "created_at", "citations"}
        assert told.model_dump(exclude=alike) == worked_out.model_dump(exclude=alike)
        assert [one.chunk_id for one in told.citations] == [one.chunk_id for one in worked_out.citations]
        assert all(f"answer={told.id}" in one.url for one in told.citations)


def test_every_asking_is_kept_with_its_own_asker_and_what_it_was_made_from(desks: Desks) -> None:
    desk = desks.services.desk()
    first, second = (desk.ask(QUESTION, Reader(), AskOptions(asker=name)) for name in ("one", "other"))
    agent = Reader(Role.AGENT)
    record = desks.services.record(second.id, agent)
    assert record is not None
    assert record.trace.same_as == first.id
    assert record.trace.prompt is not None
    assert record.trace.raw_reply
    assert desks.services.store.answers.asker_of(second.id) == "other"
    desks.services.store.answers.erase(first.id)
    assert isinstance(desks.services.answer(second.id, Reader()), StoredAnswer)


def test_an_edit_counts_from_the_next_question(desks: Desks) -> None:
    desk = desks.services.desk()
    assert "45 days" in desk.ask(QUESTION, Reader()).answer
    page = desks.shop / "returns.md"
    page.write_text(page.read_text(encoding="utf-8").replace("45 days", "60 days"), encoding="utf-8")
    assert "60 days" in desk.ask(QUESTION, Reader()).answer


def test_who_waits_hears_the_same_stages(asked: Desk) -> None:
    heard: list[list[str]] = [[], []]
    for stages in heard:
        asked.ask("Which bulb fits a desk lamp?", Reader(), AskOptions(told=stages.append))
    assert heard == [["retrieving", "checking"]] * 2


def test_a_question_that_is_asked_of_a_new_version_is_worked_out_and_not_read_again(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class Reading:
        def __init__(self, embedder: Embedder) -> None:
            self.name, self.dim, self.passages, self._query = embedder.name, 0, embedder.passages, embedder.query

        def query(self, texts: Sequence[str]) -> Vectors:
            read.extend(texts)
            return self._query(texts)

    monkeypatch.setattr(webapp.services.desk, "embedder_of", lambda manifest: Reading(embedder_of(manifest)))
    desk = desks.services.desk()
    before = desk.ask(QUESTION, Reader())
    page = desks.shop / "returns.md"
    page.write_text(page.read_text(encoding="utf-8").replace("45 days", "60 days"), encoding="utf-8")
    desk.index()
    count = len(read)
    after = desk.ask(QUESTION, Reader())
    assert count > 0
    assert len(read) == count
    assert ("45 days" in before.answer, "60 days" in after.answer) == (True, True)
