"""Conversions: what is stored, that its lines and pages are cited, and that nothing of an editor's is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.documents.originals import docx, pdf
from webapp.core.chunking.cut import cut
from webapp.core.chunking.verify import verify
from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import CollectionError
from webapp.core.documents.convert import Conversion, convert
from webapp.core.documents.model import Chunk

HTML = (
    "<html><head><title>Opening\nhours: shop</title><style>p {}</style></head>"
    "<body><h1>Hours</h1><p>We open at <b>nine</b>.</p><h2>Winter</h2><p>Closed in January.</p></body></html>"
)
FEES = pdf([["Fees are due in May.", "Late fees are 5 dollars."], [], ["Refunds take 9 days."]])


def one(file: Path, data: bytes | str) -> Conversion:
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    (done,) = convert([file])
    return done


def chunks_of(folder: Path) -> list[Chunk]:
    return [chunk for document in load_collection(folder).documents for chunk in cut(document, "paragraph", {})]


def test_html_becomes_a_document_with_its_title_and_headings(tmp_path: Path) -> None:
    assert one(tmp_path / "hours.html", HTML).outcome == "converted"
    (document,) = load_collection(tmp_path).documents
    assert (document.id, document.title) == ("hours.html", "Opening hours: shop")
    assert [(chunk.plain, chunk.location.heading_path) for chunk in chunks_of(tmp_path)] == [
        ("We open at nine.", ("Hours",)),
        ("Closed in January.", ("Hours", "Winter")),
    ]


def test_text_of_html_is_no_markdown(tmp_path: Path) -> None:
    said = "Choose &lt;b&gt; where 1 &lt; 2, [x] or *y*."
    one(
        tmp_path / "a.html",
        f"<p># 5 is a room.</p><p>{said}</p><table><tr><th>A</th></tr><tr><td>2|3</td></tr></table>",
    )
    assert [chunk.plain for chunk in chunks_of(tmp_path)] == [
        "# 5 is a room.",
        "Choose <b> where 1 < 2, [x] or *y*.",
        "A 2|3",
    ]


def test_bars_in_code_part_no_cells(tmp_path: Path) -> None:
    rows = "<tr><td><code>a|b</code></td><td><pre><code>c|d</code></pre></td></tr>"
    one(tmp_path / "a.html", f"<table><tr><th><code>x|y</code></th><th>Z</th></tr>{rows}</table><code>e|f</code>")
    (document,) = load_collection(tmp_path).documents
    found = document.sections[0].plain.text.split("\n\n")
    assert [words.strip() for words in found] == ["x|y | Z", "a|b | c|d", "e|f"]


def test_docx_keeps_its_headings_and_its_first_one_is_the_title(tmp_path: Path) -> None:
    data = docx([("Heading1", "Leave"), ("", "Ask in time."), ("Heading2", "Sick leave"), ("", "Call at once.")])
    assert one(tmp_path / "leave.docx", data).outcome == "converted"
    assert load_collection(tmp_path).documents[0].title == "Leave"
    assert [chunk.location.label for chunk in chunks_of(tmp_path)] == ["Leave, line 8", "Sick leave, line 12"]


def test_pages_of_a_pdf_are_cited(tmp_path: Path) -> None:
    assert one(tmp_path / "fees.pdf", FEES).outcome == "converted"
    first, last = chunks_of(tmp_path)
    assert first.title == "fees"
    assert (first.plain, first.location.label) == (
        "Fees are due in May. Late fees are 5 dollars.",
        "fees, page 1, lines 8-9",
    )
    assert (last.plain, last.location.label, last.location.page) == ("Refunds take 9 days.", "fees, page 3, line 12", 3)
    lines = (tmp_path / "fees.pdf.md").read_text(encoding="utf-8").split("\n")
    assert lines[11] == "Refunds take 9 days."


def test_page_comments_of_other_files_are_comments(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("<!-- page 3 -->\n\nText.\n", encoding="utf-8")
    assert [chunk.location.page for chunk in chunks_of(tmp_path)] == [None]


def test_conversions_verify(tmp_path: Path) -> None:
    for name, data in {"a.pdf": FEES, "b.html": HTML.encode(), "c.docx": docx([("", "Only text.")])}.items():
        assert one(tmp_path / name, data).outcome == "converted"
    report = verify([tmp_path])
    assert report.sound
    assert (report.files, report.notes) == (3, ())


def test_originals_are_named_until_they_are_converted_and_when_they_change(tmp_path: Path) -> None:
    (tmp_path / "hours.html").write_text(HTML, encoding="utf-8")
    (note,) = load_collection(tmp_path).problems
    assert (note.path, note.held_back) == ("hours.html", False)
    assert "run `evidencedesk convert`" in note.problem
    assert [done.outcome for done in convert([tmp_path])] == ["converted"]
    assert load_collection(tmp_path).problems == ()
    assert [done.outcome for done in convert([tmp_path])] == ["unchanged"]
    (tmp_path / "hours.html").write_text(HTML.replace("nine", "ten"), encoding="utf-8")
    assert "has changed since hours.html.md" in load_collection(tmp_path).problems[0].problem


def test_what_an_editor_adds_to_the_head_outlives_the_next_conversion(tmp_path: Path) -> None:
    stored = one(tmp_path / "hours.html", HTML).stored
    text = stored.read_text(encoding="utf-8")
    stored.write_text(text.replace("title: 'Opening hours: shop'", "title: Hours\nstatus: current"), encoding="utf-8")
    assert one(tmp_path / "hours.html", HTML.replace("nine", "ten")).outcome == "converted"
    again = stored.read_text(encoding="utf-8")
    assert again.startswith("---\ntitle: Hours\nstatus: current\nconverted_from: 'hours.html'\n")
    assert "ten" in again
    assert "nine" not in again
    assert load_collection(tmp_path).problems == ()


def test_a_file_of_the_same_name_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "hours.html.md").write_text("Mine.\n", encoding="utf-8")
    done = one(tmp_path / "hours.html", HTML)
    assert (done.outcome, (tmp_path / "hours.html.md").read_text(encoding="utf-8")) == ("failed", "Mine.\n")
    assert "was not made from it" in done.problem


def test_conversions_may_be_stored_in_a_folder_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "sub" / "hours.html").write_text(HTML, encoding="utf-8")
    (done,) = convert([tmp_path / "docs"], tmp_path / "made")
    assert done.stored == tmp_path / "made" / "sub" / "hours.html.md"
    assert [path.name for path in (tmp_path / "docs" / "sub").iterdir()] == ["hours.html"]


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.pdf", b"not a pdf", "can't be converted"),
        ("a.docx", b"PK not a zip", "can't be converted"),
        ("scan.pdf", pdf([[]]), "OCR"),
        ("empty.html", b"", "no text"),
    ],
)
def test_what_can_not_be_converted_is_said_and_nothing_is_written(
    tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    done = one(tmp_path / name, data)
    assert done.outcome == "failed"
    assert why in done.problem
    assert not done.stored.exists()


def test_one_broken_file_never_stops_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"broken")
    (tmp_path / "b.html").write_text(HTML, encoding="utf-8")
    assert [done.outcome for done in convert([tmp_path])] == ["failed", "converted"]


@pytest.mark.parametrize("name", ["absent.pdf", "a.csv"])
def test_paths_that_can_not_be_used_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("1,2", encoding="utf-8")
    with pytest.raises(CollectionError, match=name):
        list(convert([tmp_path / name]))
