"""Facts are kept whole, broken between two chunks, or not there at all."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.chunking.cut import cut
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes
from webapp.core.evaluation.facts import FactCheck, FactsError, KeyFact, check_facts, read_facts

TEXT = "Lights can be returned within 14 days. Opened helmets\ncannot be **returned** at all, for your safety."


def page(text: str = TEXT, document_id: str = "a") -> Document:
    head = f"---\nid: {document_id}\ntitle: Returns\nstatus: current\n---\n\n## Returning\n"
    return document_from_bytes(f"{head}{text}\n".encode(), f"{document_id}.md", CollectionConfig(name="c"))


def check(fact: str, size: int, overlap: int, of: str = "a") -> FactCheck:
    document = page()
    chunks = {document.id: cut(document, "fixed", {"size": size, "overlap": overlap})}
    return check_facts([KeyFact(fact=fact, document=of)], [document], chunks)


def test_a_fact_inside_a_chunk_is_whole_though_a_line_ends_in_it() -> None:
    assert check("Opened helmets cannot be", 200, 0).whole


def test_a_fact_with_markup_inside_is_found_in_the_plain_text() -> None:
    assert check("cannot be returned at all", 200, 0).whole


def test_a_broken_fact_names_the_two_chunks_that_share_it() -> None:
    (lost,) = check("Opened helmets cannot be", 50, 5).lost
    assert lost.halves == ("a:c0", "a:c1")


def test_the_halves_are_those_with_most_of_either_end() -> None:
    (lost,) = check("Opened helmets cannot be", 10, 9).lost
    assert lost.halves == ("a:c39", "a:c53")  # a window starts at every character, and the fact at the 39th


def test_a_fact_its_document_does_not_say_is_absent_not_lost() -> None:
    result = check("within 30 days", 50, 5)
    assert (len(result.whole), len(result.lost), len(result.absent)) == (0, 0, 1)


def test_facts_of_other_documents_do_not_count() -> None:
    assert check("within 14 days", 50, 5, of="b") == FactCheck((), (), ())


@settings(max_examples=40, derandomize=True)
@given(st.integers(1, 120), st.data())
def test_overlap_as_long_as_the_fact_always_keeps_it(size: int, data: st.DataObject) -> None:
    fact = "within 14 days"
    overlap = data.draw(st.integers(0, size - 1))
    result = check(fact, size, overlap)
    assert len(result.whole) + len(result.lost) == 1
    if overlap >= len(fact):
        assert result.whole


def test_reads_a_facts_file(tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text('{"id": "x", "fact": "১৪ দিন", "document": "a", "lang": "bn"}\n\n', encoding="utf-8")
    assert read_facts(file) == (KeyFact(id="x", fact="১৪ দিন", document="a", lang="bn"),)


def test_no_file_means_no_facts(tmp_path: Path) -> None:
    assert read_facts(tmp_path / "facts.jsonl") == ()


@pytest.mark.parametrize("line", ['{"fact": " ", "document": "a"}', '{"fact": "x"}', "nonsense"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(FactsError, match=r"facts.jsonl, line 2: "):
        read_facts(file)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FactsError, match="UTF-8"):
        read_facts(file)
