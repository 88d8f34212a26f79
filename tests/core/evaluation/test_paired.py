"""The same questions before and after a change: what counts as a fall, and what is noise."""

from __future__ import annotations

import pytest

from webapp.core.evaluation.evaluate import Found, Row
from webapp.core.evaluation.paired import Agreed, Pair, paired_figures
from webapp.core.evaluation.questions import Label, Question


def row(well: bool, answerable: bool = True, broken: bool = False, cites: str = "page") -> Row:
    """A row where all went well, or nothing did."""
    answered = well if answerable else not well
    return Row(
        id="q",
        question="Q?",
        lang="en",
        answerable=answerable,
        label_broken=broken,
        retrieved=(),
        probability=0.5,
        abstained=not answered,
        reason="ok",
        citations=(Found(cites, 1, 1),) if answered else (),
        section_rank=1 if well else 0,
        document_rank=1 if well else 0,
        right_source=well,
    )


def pair(before: bool, after: bool, document: str = "other") -> Pair:
    question = Question(id="q", question="Q?", answerable=True, labels=(Label(document=document, fact="x"),))
    return Pair(question, row(before), row(after))


def refusal(before: bool, after: bool, cites: str = "other") -> Pair:
    question = Question(id="q", question="Q?", answerable=False)
    return Pair(question, row(before, answerable=False), row(after, answerable=False, cites=cites))


def fallen(*pairs: Pair) -> set[Agreed]:
    return {one.figure for one in paired_figures(pairs, "page") if one.fell}


def test_nothing_falls_without_questions() -> None:
    figures = paired_figures((), "page")
    assert [one.figure for one in figures] == list(Agreed)
    assert not any(one.fell or one.questions for one in figures)


def test_one_lost_question_of_the_page_itself_is_a_fall() -> None:
    assert fallen(pair(True, False, "page")) == {Agreed.FOUND, Agreed.ANSWERED}
    assert fallen(pair(True, False, "page"), pair(False, True, "page")) == set()
    assert fallen(refusal(True, False, cites="page")) == {Agreed.REFUSED}


@pytest.mark.parametrize(("lost", "falls"), [(1, False), (5, False), (6, True)])
def test_of_the_others_more_must_be_lost_than_chance_explains(lost: int, falls: bool) -> None:
    pairs = [pair(True, False)] * lost + [pair(True, True)] * 20
    assert bool(fallen(*pairs)) is falls
    assert not fallen(*pairs, *[pair(False, True)] * lost)


def test_what_was_wrong_before_is_no_loss_and_a_label_that_broke_before_is_not_counted() -> None:
    broken = Pair(pair(True, False).question, row(False, broken=True), row(False, broken=True))
    assert fallen(pair(False, False, "page"), broken) == set()
    assert paired_figures((broken,), "page")[0].questions == 0


def test_it_is_kept_with_the_words_of_the_questions() -> None:
    figure = paired_figures((pair(True, False, "page"), pair(False, True), pair(True, True)), "page")[1]
    assert figure.as_dict() == {
        "figure": "answered",
        "questions": 3,
        "before": 2,
        "after": 2,
        "lost": ["Q?"],
        "gained": ["Q?"],
        "fell": True,
    }
