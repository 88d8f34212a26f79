"""A draft is compared with what the other current pages say, as far as its author may see them."""

from __future__ import annotations

import pytest

from tests.conftest import Desks
from webapp.core.documents.lint import LintCode
from webapp.core.retrieval.model import Reader, Role
from webapp.services.lint import lint_draft

HEAD = "---\nid: new\ntitle: Discounts\nstatus: current\nlang: en\n---\n\n## Staff discount\n"
DISCOUNT = "Members of staff buy every lamp with a discount of 40 percent.\n"
EDITOR = Reader(Role.EDITOR)
COLLEAGUE = Reader(Role.EDITOR, frozenset({"staff"}))


def codes(desks: Desks, text: str, reader: Reader = EDITOR, path: str = "new.md") -> list[tuple[LintCode, int]]:
    return [(one.code, one.line) for one in lint_draft(desks.services.desk(), text.encode(), path, reader).findings]


def test_numbers_that_another_page_contradicts_are_found(desks: Desks) -> None:
    text = (
        HEAD.replace("Staff discount", "Returning a lamp")
        + "You can return a lamp within 50 days of delivery for a full refund.\n"
    )
    assert codes(desks, text) == [(LintCode.DISAGREES, 9)]


def test_the_page_that_it_changes_is_no_other_page(desks: Desks) -> None:
    text = (desks.shop / "returns.md").read_text(encoding="utf-8").replace("45 days", "50 days")
    assert codes(desks, text, path="returns.md") == []


def test_pages_that_its_author_may_not_see_are_not_told_of(desks: Desks) -> None:
    assert codes(desks, HEAD + DISCOUNT) == []
    assert codes(desks, HEAD + DISCOUNT, Reader(Role.EDITOR, frozenset({"staff"}))) == [(LintCode.DISAGREES, 9)]


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("status: current", "status: superseded\nsuperseded_by: discounts") + DISCOUNT,
        HEAD + "Ask [us](discounts.md) for the discount of the year.\n",
        HEAD + "Ask [us](discounts.md#nothing) for the discount of the year.\n",
    ],
)
def test_a_closed_page_is_like_one_that_is_not_there(desks: Desks, text: str) -> None:
    found = codes(desks, text)
    assert found
    assert found == codes(desks, text.replace("discounts", "nothing-like"))


def test_an_id_of_a_closed_page_is_taken_by_nobody_says_whom(desks: Desks) -> None:
    text = HEAD.replace("id: new", "id: discounts") + "Words of a page about anything else.\n"
    (one,) = lint_draft(desks.services.desk(), text.encode(), "new.md", EDITOR).findings
    assert (one.code, one.stops, one.details) == (LintCode.TAKEN_ID, True, {"id": "discounts"})
    (one,) = lint_draft(desks.services.desk(), text.encode(), "new.md", COLLEAGUE).findings
    assert (one.code, one.stops, one.details["path"]) == (LintCode.SAME_ID, True, "discounts.md")


def test_what_can_not_be_read_stops_it_with_its_line(desks: Desks) -> None:
    linted = lint_draft(desks.services.desk(), b"---\ntitle: a\nstatus: curent\n---\nText.\n", "new.md", EDITOR)
    assert linted.document is None
    assert linted.stops
    assert [(one.code, one.line) for one in linted.findings] == [(LintCode.UNREADABLE, 3)]
