"""What is found in a page before it is published, and at which line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from webapp.core.documents.collection import load_collection
from webapp.core.documents.lint import LONG, LintCode, lint
from webapp.core.documents.model import Document
from webapp.core.documents.repeats import repeats

HEAD = "---\nid: page\ntitle: Page\nstatus: current\nlang: en\n---\n\n"
LAMP = "You can return a lamp within forty five days of delivery if it is still in its box."


def read(folder: Path, text: str, **others: str) -> tuple[Document, list[tuple[LintCode, int, bool]]]:
    """The page, and what was found in it: code, line, whether it stops."""
    (folder / "collection.toml").write_text('languages = ["en"]\ngroups = ["staff"]\n', encoding="utf-8")
    for name, content in {"page": text, **others}.items():
        (folder / f"{name}.md").write_text(content, encoding="utf-8")
    collection = load_collection(folder)
    document = next(one for one in collection.documents if one.path == "page.md")
    found = lint(document, collection, date(2026, 11, 30))
    return document, [(one.code, one.line, one.stops) for one in found]


def test_a_page_in_order_gives_nothing(tmp_path: Path) -> None:
    text = f"{HEAD}## Returning\n{LAMP} See [there](other.md#two-words) and [above](#returning).\n"
    assert read(tmp_path, text, other="# Two *words*\n\nA sentence that is long enough.\n")[1] == []


@pytest.mark.parametrize(
    ("head", "code", "line"),
    [
        ("title: Page\n", LintCode.NO_STATUS, 1),
        ("status: current\n", LintCode.NO_TITLE, 1),
        ("title: P\nstatus: draft\n", LintCode.NOT_CURRENT, 3),
        ("title: P\nstatus: superseded\n", LintCode.NO_SUCCESSOR, 3),
        ("title: P\nstatus: superseded\nsuperseded_by: nothing\n", LintCode.UNKNOWN_SUCCESSOR, 4),
        ("title: P\nstatus: current\nvalid_until: 2026-11-29\n", LintCode.OVER, 4),
        ("title: P\nstatus: current\naudience: board\n", LintCode.UNKNOWN_AUDIENCE, 4),
        ("title: P\nlang: bn\nstatus: current\n", LintCode.OTHER_LANGUAGE, 3),
    ],
)
def test_the_head_is_looked_at(tmp_path: Path, head: str, code: LintCode, line: int) -> None:
    assert read(tmp_path, f"---\n{head}---\n{LAMP}\n")[1] == [(code, line, False)]


def test_an_id_of_another_page_stops_it(tmp_path: Path) -> None:
    text = HEAD.replace("current", "draft") + LAMP
    found = read(tmp_path, text, other="---\nid: page\nstatus: archived\n---\nWords of another page.\n")[1]
    assert (LintCode.SAME_ID, 2, True) in found


@pytest.mark.parametrize(
    ("link", "codes"),
    [
        ("[a](nowhere.md)", [LintCode.BROKEN_LINK]),
        ("[a](../outside.md)", [LintCode.BROKEN_LINK]),
        ("![a](picture.png)", [LintCode.BROKEN_LINK]),
        ("[a](other.md#nothing)", [LintCode.BROKEN_ANCHOR]),
        ("[a](#nothing)", [LintCode.BROKEN_ANCHOR]),
        ("[a](other)", []),
        ("[a](other.md#given-id)", []),
        ("[a](other.md#নাম-করা)", []),
        ("[a](https://nowhere.example/x.md)", []),
        ("[a](/on/the/site)", []),
        ("<help@shop.example>", []),
        ("`[a](nowhere.md)`", []),
    ],
)
def test_links_inside_the_collection_lead_somewhere(tmp_path: Path, link: str, codes: list[LintCode]) -> None:
    other = '# Words\n\n<a id="given-id"></a>\n\n## নাম করা\nA sentence that is long enough.\n'
    found = read(tmp_path, f"{HEAD}## Section\n{LAMP}\n{link}\n", other=other)[1]
    assert found == [(code, 10, False) for code in codes]


def test_sections_are_neither_very_long_nor_very_short(tmp_path: Path) -> None:
    long = "Many words follow here. " * (LONG // 20)
    found = read(tmp_path, f"{HEAD}## Long\n{long}\n\n## Short\nNo.\n\n## Empty\n")[1]
    assert found == [(LintCode.LONG_SECTION, 8, False), (LintCode.SHORT_SECTION, 11, False)]


def test_a_page_without_text_is_said(tmp_path: Path) -> None:
    assert [code for code, _, _ in read(tmp_path, f"{HEAD}## Only a heading\n")[1]] == [LintCode.NO_TEXT]


def test_paragraphs_that_another_page_has_are_found_with_their_lines(tmp_path: Path) -> None:
    text = f"{HEAD}## One\nSomething else stands here, which is said nowhere but in this place, I think.\n\n{LAMP}\n"
    near = LAMP.replace("its box", "the box that it came in")
    document, _ = read(tmp_path, text, other=f"# Other\n\n\n{near}\n", third="# Third\n\nYou can return a lamp.\n")
    others = [one for one in load_collection(tmp_path).documents if one.path != "page.md"]
    [found] = repeats(document, others)
    assert (found.line, found.document.path, found.other_line) == (11, "other.md", 4)
