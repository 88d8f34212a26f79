"""Heads of files: found, read as typed, and refused with their line when they can't be."""

from __future__ import annotations

import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.front_matter import read_front_matter
from webapp.core.documents.model import Document, Status
from webapp.core.documents.reading import document_from_bytes

HEAD = "---\nid: kc-returns-v3\ntitle: Returns policy\nversion: 3\nstatus: current\nlang: en\n---\n"
BODY = "\n## Returning a bike\n\nWithin 30 days.\n"


def read(text: str | bytes, path: str = "help/page.md", **settings: object) -> Document:
    data = text.encode() if isinstance(text, str) else text
    return document_from_bytes(data, path, CollectionConfig.model_validate(settings))


def told(document: Document) -> tuple[object, ...]:
    sections = [(s.heading_path, s.first_line, " ".join(s.text.split())) for s in document.sections]
    return document.id, document.title, document.version, document.status, document.body_line, sections


def test_head_is_read() -> None:
    document = read(HEAD + BODY)
    assert (document.id, document.title, document.version) == ("kc-returns-v3", "Returns policy", "3")
    assert (document.status, document.lang, document.body_line) == (Status.CURRENT, "en", 8)
    assert document.sections[0].first_line == 11


def test_byte_order_mark_before_the_opening_rule_changes_nothing() -> None:
    document = read(b"\xef\xbb\xbf" + (HEAD + BODY).encode())
    assert told(document) == told(read(HEAD + BODY))
    assert "\ufeff" not in document.text


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_of_windows_and_lone_returns_change_nothing(end: str, mark: bytes) -> None:
    assert told(read(mark + (HEAD + BODY).replace("\n", end).encode())) == told(read(HEAD + BODY))


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", [("\n", "\r\n"), ("\r\n", "\n", "\r")])
def test_mixed_line_ends_change_nothing(ends: tuple[str, ...], mark: str) -> None:
    lines = (HEAD + BODY).split("\n")
    mixed = "".join(line + ends[n % len(ends)] for n, line in enumerate(lines[:-1]))
    assert told(read((mark + mixed).encode())) == told(read(HEAD + BODY))


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Billing: late fees", "Billing: late fees"),
        ("title: 'Billing: late fees'", "Billing: late fees"),
        ("title: Fix issue #12 fast", "Fix issue #12 fast"),
        ("title: C # for beginners", "C # for beginners"),
        ('title: "C # quoted"', "C # quoted"),
        ("title: It's a bike: ours", "It's a bike: ours"),
        ("title: What is this?:", "What is this?:"),
        ("title: [Draft] Fees", "[Draft] Fees"),
        ("title: @handle and `code`", "@handle and `code`"),
        ("title: *bold* words", "*bold* words"),
        ("title: %d of %d", "%d of %d"),
        ("title:\tTabbed", "Tabbed"),
        ("title: |\n  On its own line", "On its own line"),
        ("title: >\n  Folded\n  twice", "Folded twice"),
    ],
)
def test_titles_are_kept_whole(line: str, title: str) -> None:
    document = read(f"---\nid: a\n{line}\nstatus: draft\n---\nText.\n")
    assert (document.title, document.id, document.status) == (title, "a", Status.DRAFT)


@pytest.mark.parametrize("comment", [" # by Bob", " # was: current", "\t# by: Bob # and: Eve"])
def test_comment_after_another_value_is_a_comment(comment: str) -> None:
    assert read(f"---\nstatus: draft{comment}\n---\nText.\n").status is Status.DRAFT


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_titles_and_lines_of_keys_at_any_line_end(end: str) -> None:
    assert read(f"---{end}title: C # guide{end}---{end}Text.").title == "C # guide"
    with pytest.raises(DocumentError, match="currnt") as caught:
        read(f"---{end}id: a{end}status: currnt{end}---{end}Text.")
    assert caught.value.line == 3


def test_indentation_by_tabs_is_read() -> None:
    document = read("---\ntitle: A\nmenu:\n\tmain:\n\t\tweight: 1\nid: b\n---\nText.\n")
    assert (document.title, document.id) == ("A", "b")


def test_quoted_and_bare_dates_are_equal() -> None:
    bare, quoted = read("---\nupdated: 2024-05-01\n---\nA.\n"), read('---\nupdated: "2024-05-01"\n---\nA.\n')
    assert bare.updated == quoted.updated
    assert bare.updated is not None


@pytest.mark.parametrize("typed", ["1.10", "10:30", "007", "1e3", "0x1F", "2024-05-01", "1_000"])
def test_version_stays_as_typed(typed: str) -> None:
    assert read(f"---\nversion: {typed}\n---\nA.\n").version == typed


def test_words_that_yaml_takes_for_truth_values_stay_words() -> None:
    document = read("---\nlang: no\nid: y\n---\nA.\n")
    assert (document.lang, document.id) == ("no", "y")
    with pytest.raises(DocumentError, match="unknown status 'on'; use one of current,") as caught:
        read("---\nid: y\nstatus: on\n---\nA.\n")
    assert caught.value.line == 3


@pytest.mark.parametrize("rule", ["---", "+++"])
def test_head_that_is_never_closed_is_refused(rule: str) -> None:
    with pytest.raises(DocumentError, match="never closed") as caught:
        read(f"\n{rule}\nid: a\ntitle = 'b'\n\n# Heading\n\nText.\n")
    assert caught.value.line == 2


def test_only_the_block_at_the_top_is_metadata() -> None:
    document = read(HEAD + "\nTwo words\n---\n\nText.\n\n---\nkey: value\n---\n\nMore.\n")
    assert [section.heading for section in document.sections] == ["Two words", "key: value"]
    assert document.sections[0].text.endswith("---")


def test_rule_at_the_top_of_a_body_is_no_head() -> None:
    assert read("---\n\nSome prose here.\n\n---\n\nMore.\n").sections[0].text.startswith("---")
    assert read("---\nSome prose here.\n").sections[0].first_line == 1


def test_prose_between_two_rules_is_no_head() -> None:
    assert read("---\nThis is prose.\n\nHours: 9 to 5.\n\n---\nBody.\n").body_line == 1


@pytest.mark.parametrize("first", ["license text here", "this is: broken"])
def test_broken_head_that_says_something_is_not_taken_for_prose(first: str) -> None:
    with pytest.raises(DocumentError, match="write it as `key: value`") as caught:
        read(f"---\n{first}\nid a\nstatus: draft\n---\nText.\n")
    assert caught.value.line == 2


def test_what_is_said_twice_is_refused_only_where_it_matters() -> None:
    assert read("---\ntags: a\ntags: b\nid: x\nid: x\n---\nText.\n").id == "x"
    with pytest.raises(DocumentError, match="status is said twice") as caught:
        read("---\nid: a\nstatus: draft\nstatus: current\n---\nText.\n")
    assert caught.value.line == 4


def test_head_indented_as_a_whole_is_read() -> None:
    assert read("---\n\ttitle: Fees: late\n\tid: a\n---\nText.\n").title == "Fees: late"


def test_blank_lines_may_stand_before_the_head() -> None:
    document = read("\n\n" + HEAD + BODY)
    assert (document.id, document.body_line, document.sections[0].first_line) == ("kc-returns-v3", 10, 13)


@pytest.mark.parametrize("head", ["---\n---\n", "---\n# only a comment\n---\n", "---\n\n---\n", "+++\n+++\n", "{}\n"])
def test_empty_head(head: str) -> None:
    document = read(head + "Text.\n")
    assert document.sections[0].text == "Text."
    assert document.id == "help/page"


def test_head_that_ends_with_the_file() -> None:
    document = read("---\nid: a\n---")
    assert (document.sections, document.body_line) == ((), 4)


def test_toml_head() -> None:
    document = read('+++\ntitle = "Fees"\nid = "fees"\nversion = 1.10\ndraft = true\ndate = 2024-05-01\n+++\nText.\n')
    assert (document.title, document.id, document.version) == ("Fees", "fees", "1.10")
    assert (document.status, str(document.updated)) == (Status.DRAFT, "2024-05-01")


def test_toml_head_that_is_broken_names_its_line() -> None:
    with pytest.raises(DocumentError, match="TOML") as caught:
        read('+++\ntitle = "Fees"\nid = \n+++\nText.\n')
    assert caught.value.line == 3


@pytest.mark.parametrize(
    "head",
    [
        "+++\na = " + "[" * 5000 + "]" * 5000 + "\n+++\n",
        "+++\na = " + "1" * 5000 + "\n+++\n",
        '{"a": ' + "[" * 5000 + "]" * 5000 + "}\n",
    ],
)
def test_heads_beyond_what_a_parser_takes_are_refused(head: str) -> None:
    with pytest.raises(DocumentError, match="can't be read"):
        read(f"{head}Text.\n")


def test_aliases_that_multiply_are_read_at_once() -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    head = "\n".join(["a0: &a0 [x]", *rows, *(f"{key}: *a8" for key in ("draft", "version", "audience"))])
    assert read(f"---\n{head}\nid: a\n---\nText.\n", filters=["a8"]).id == "a"


def test_json_head() -> None:
    document = read('{\n  "title": "Fees",\n  "id": 12,\n  "version": 1.10\n}\n\nText.\n')
    assert (document.title, document.id, document.version) == ("Fees", "12", "1.10")
    assert document.sections[0].first_line == 7


def test_json_head_that_is_broken_names_its_line() -> None:
    with pytest.raises(DocumentError, match="JSON") as caught:
        read('{\n  "title": "Fees",\n  "id" 12\n}\n\nText.\n')
    assert caught.value.line == 3


@pytest.mark.parametrize("text", ["{% include x %}\n", "{{ name }} is kept.\n", "{: .class }\n", "{not a head}\n"])
def test_braces_at_the_top_are_no_head(text: str) -> None:
    assert read(text).text == text
    assert read(text).body_line == 1


def test_line_that_is_no_pair_is_named() -> None:
    with pytest.raises(DocumentError, match="write it as `key: value`") as caught:
        read("---\nid: a\n: [ nonsense\n---\nText.\n")
    assert caught.value.line == 3


def test_metadata_is_in_no_section() -> None:
    document = read("---\nid: a\neditor: Zanzibar\n---\nText.\n")
    assert "Zanzibar" not in "".join(section.text for section in document.sections)


def test_offset_of_a_key() -> None:
    text = "---\nid: a\n'status': on\n---\n"
    assert text[read_front_matter(text).offset_of("status") :].startswith("'status'")


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "# " * 5000 + "\n",
        "---\na: b" + " " * 50_000 + "c\n---\nText.\n",
        "---\na: b" + " #" * 50_000 + "c\n---\nText.\n",
        "---\na: [\nk:\n" + "- v\n" * 50_000 + "---\nText.\n",
    ],
)
def test_endless_heads_are_read_at_once(text: str) -> None:
    assert read(text).sections


def test_endless_key_is_refused_at_once() -> None:
    with pytest.raises(DocumentError, match="nested too deeply"):
        read("+++\na" + ".a" * 50_000 + " = 1\n+++\nText.\n")
