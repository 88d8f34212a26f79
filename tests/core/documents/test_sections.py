"""Markdown's structure: headings, blocks and plain text, each at its place in the file."""

from __future__ import annotations

import pytest

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Block, BlockKind, Document, Section
from webapp.core.documents.reading import document_from_bytes


def read(text: str, path: str = "page.md", title: str = "T") -> Document:
    return document_from_bytes(f"---\ntitle: {title}\n---\n{text}".encode(), path, CollectionConfig())


def only(text: str) -> Section:
    (section,) = read(text).sections
    return section


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.heading_path for section in read(text).sections]


def kinds(section: Section) -> list[BlockKind]:
    return [block.kind for block in section.blocks]


def raw(section: Section, block: Block) -> str:
    return section.text[block.start : block.end]


def words(section: Section, block: Block) -> str:
    start, end = section.plain.of_leaf(block.leaf)
    return section.plain.text[start:end]


def lead(section: Section, block: Block) -> str:
    return section.plain.lead(block.lead)


def plain(text: str) -> str:
    return " ".join(only(text).plain.text.split())


# Headings


def test_heading_path_and_lines() -> None:
    first, second = read("# One\n\nIntro.\n\n## Two\n\nText\nmore.\n").sections
    assert (first.heading_path, first.heading_line, first.first_line, first.level) == (("One",), 4, 6, 1)
    assert (second.heading_path, second.heading_line, second.first_line) == (("One", "Two"), 8, 10)
    assert second.text == "Text\nmore."


def test_text_before_any_heading_has_the_title_for_its_heading() -> None:
    section = read("Intro.\n\n## Two\n\nText.\n").sections[0]
    assert (section.heading, section.heading_path, section.level, section.heading_line) == ("T", ("T",), 0, 0)


def test_page_without_headings_is_one_section() -> None:
    assert paths("One.\n\nTwo.\n") == [("T",)]


def test_heading_without_text_belongs_to_the_path_of_the_next() -> None:
    assert paths("# A\n## B\nText.\n") == [("A", "B")]
    assert paths("## A\n## B\nText.\n## C\nText.\n") == [("A", "B"), ("C",)]
    assert paths("# A\n\n<!-- note -->\n\n# B\nText.\n") == [("A", "B")]


def test_headings_at_the_end_make_a_section_without_text() -> None:
    sections = read("# A\nText.\n## B\n## C\n").sections
    assert [(section.heading_path, section.text) for section in sections] == [(("A",), "Text."), (("A", "B", "C"), "")]


def test_deeper_headings_stay_in_their_section() -> None:
    section = only("## A\nOne.\n### B\nTwo.\n#### C\nThree.\n### D\nFour.\n")
    found = [block.heading_path for block in section.blocks if block.kind is BlockKind.PARAGRAPH]
    assert found == [(), ("B",), ("B", "C"), ("D",)]


@pytest.mark.parametrize("mark", ["=", "===", "-", "-----"])
def test_underlined_heading(mark: str) -> None:
    sections = read(f"Over\ntwo lines\n{mark}\n\nText.\n").sections
    assert [(section.heading, section.level) for section in sections] == [("Over two lines", 1 if "=" in mark else 2)]
    assert sections[0].text == "Text."


@pytest.mark.parametrize("text", ["#no-space\n", "**Bold line**\n", "    # code\n", "\\# escaped\n", "####### seven\n"])
def test_lines_that_are_no_heading(text: str) -> None:
    assert paths(f"{text}\nText.\n") == [("T",)]


def test_explicit_id_is_no_part_of_a_heading() -> None:
    assert paths("## Fees {#fees}\nText.\n## PUT /user/{id}\nText.\n") == [("Fees",), ("PUT /user/{id}",)]


def test_heading_without_words() -> None:
    assert paths("##\nText.\n## B\nText.\n") == [("T",), ("B",)]


def test_markdown_in_a_heading_is_freed() -> None:
    assert paths("## The *new* [form](http://x.org) `v2` &amp; more ##\nText.\n") == [("The new form v2 & more",)]


@pytest.mark.parametrize("heading", ["# z `` #", "# `` #", "## ` ##"])
def test_code_marks_without_an_end_before_closing_marks(heading: str) -> None:
    assert paths(f"{heading}\ntext\n") == [(heading.strip("# "),)]


def test_heading_in_a_quote_or_list_starts_no_section() -> None:
    section = only("## A\n> ## B\n> Quoted.\n\n- ### C\n  Item.\n\nAfter.\n")
    assert [block.heading_path for block in section.blocks] == [("B",), ("B",), ("C",), ("C",), ()]


def test_heading_in_a_list_item_ends_with_that_item() -> None:
    section = only("1. ### A\n   One.\n   - #### B\n     Two.\n   - Three.\n2. Four.\n\nAfter.\n")
    found = [(raw(section, block).split()[-1], block.heading_path) for block in section.blocks]
    assert found[1:] == [
        ("One.", ("A",)),
        ("B", ("A", "B")),
        ("Two.", ("A", "B")),
        *[("Three.", ("A",))],
        ("Four.", ()),
        ("After.", ()),
    ]


@pytest.mark.parametrize(
    "sample",
    [
        "```sh\n# one\n## two\n```\n",
        "~~~\n# one\n~~~ word\n## two\n~~~\n",
        "````\n```\n# one\n```\n````\n",
        "- item\n\n  ```\n  # one\n  ```\n",
        "   ```\n# one\n   ```\n",
        "```\n# one\n## never closed\n",
        "<!--\n# one\n\n## two\n-->\ntext\n",
        "<pre>\n# one\n\n## two\n</pre>\n",
        "\t# one\n",
    ],
)
def test_comments_in_code_are_no_headings(sample: str) -> None:
    assert paths(f"## A\n\nText.\n\n{sample}") == [("A",)]


# Blocks


def test_blocks_hold_every_line() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    text = f"## A\nText.\n\n[ref]: http://x.org\n\n---\n\n> quote\n>\n> more\n\n{table}\n- \n- x\n"
    section = only(text)
    held = {
        line
        for block in section.blocks
        for line in section.text[: block.end].split("\n")[section.text.count("\n", 0, block.start) :]
    }
    assert {line.strip() for line in section.text.split("\n") if line} <= {line.strip() for line in held}


def test_heading_without_words_at_the_end_is_a_heading() -> None:
    document = read("Text.\n\n:::x\n:::n\n-\n")
    assert [section.heading_lines for section in document.sections] == [(), ((6, 8),)]


def test_table_rows_know_their_header() -> None:
    section = only("| Method | Days |\n|---|---|\n| Post | 4 |\n| Van | 1 \\| 2 |\n")
    rows = [(lead(section, block), " ".join(words(section, block).split())) for block in section.blocks]
    assert rows == [("", "Method | Days"), ("", ""), ("Method | Days", "Post | 4"), ("Method | Days", "Van | 1 | 2")]
    assert len({block.group for block in section.blocks}) == 1


def test_short_rows_are_not_filled_up() -> None:
    section = only("| a | b |\n|---|---|\n| c\n| d |\n| e | |\n")
    seen = [words(section, block).strip() for block in section.blocks]
    assert seen == ["a | b", "", "c", "d", "e |"]


def test_table_without_outer_pipes() -> None:
    assert kinds(only("a | b\n--|--\n1 | 2\n")) == [BlockKind.TABLE_HEAD, BlockKind.OTHER, BlockKind.TABLE_ROW]


def test_list_items_know_their_lead_in() -> None:
    section = only("First. You need:\n\n- a box\n- parts\n  - screws\n\nNo lead.\n\n- x\n")
    leads = [
        (raw(section, block), lead(section, block)) for block in section.blocks if block.kind is BlockKind.LIST_ITEM
    ]
    assert leads == [("- a box", "You need:"), ("- parts", "You need:"), ("- screws", "parts"), ("- x", "")]


def test_comment_is_a_block_of_its_own() -> None:
    section = only("One.\n\n<!-- a\n\nb -->\n\nTwo.\n")
    assert kinds(section) == [BlockKind.PARAGRAPH, BlockKind.COMMENT, BlockKind.PARAGRAPH]


def test_unclosed_comment_loses_nothing() -> None:
    section = only("One.\n\n<!-- never closed\n\nTwo.\n")
    assert raw(section, section.blocks[-1]).endswith("Two.")
    assert section.blocks[-1].kind is BlockKind.HTML


def test_code_keeps_its_bytes() -> None:
    section = only("```\nif x:\n\ty\u00a0= 1\n```\n")
    assert section.text == "```\nif x:\n\ty\u00a0= 1\n```"
    assert section.plain.text == "if x:\n\ty\u00a0= 1\n"


def test_code_of_a_page_is_seen_by_no_reader() -> None:
    section = only("import X from 'y'\nexport const a = 1\n\n<X items={[1, 2]}>\n\nবাংলা লেখা।\n\n</X>\n\n{/* note */}\n")
    assert " ".join(section.plain.text.split()) == "বাংলা লেখা।"
    assert section.text.startswith("import")
    assert section.text.endswith("*/}")


@pytest.mark.parametrize(
    "text",
    [
        "- " + "ab " * 20_000 + "\n  - b\n",
        "ab " * 20_000 + ":\n\n- b\n",
        "# a\n" * 10_000 + "b\n",
        "---\na\n" * 10_000 + "b\n",
        "# a " + " " * 100_000 + "{#x} b\n\nc\n",
    ],
)
def test_endless_lines_and_headings_are_read_at_once(text: str) -> None:
    assert read(text).sections


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\u3000 \u0085"])
def test_paragraph_of_odd_blanks_is_no_block(blank: str) -> None:
    section = only(f"One.\n\n{blank}\n\n- x\n- {blank}\n\nTwo.\n")
    assert [raw(section, block) for block in section.blocks] == ["One.", "- x", "-", "Two."]
    assert section.plain.text.split() == ["One.", "x", "Two."]


# Plain text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A **bold** and *soft* ~~old~~ word", "A bold and soft old word"),
        ('See [the form](http://x.org/a_b "t") now', "See the form now"),
        ("See [the form][f].\n\n[f]: http://x.org", "See the form."),
        ("![A red bike](bike.png) rides", "A red bike rides"),
        ("Press <kbd>Ctrl</kbd>+<b>C</b><br>twice", "Press Ctrl+C twice"),
        ("5 &lt; 6 &amp;&nbsp;7 &#x41;", "5 < 6 & 7 A"),
        ("A <!-- hidden --> word", "A word"),
        ("\\*not bold\\* 2 \\< 3", "*not bold* 2 < 3"),
        ("`a  b` and `` `c` ``", "a b and `c`"),
        ("A note[^1].\n\n[^1]: Its text.", "A note. Its text."),
        ("- [x] done", "done"),
        ("<https://x.org/a>", "https://x.org/a"),
        ("<div><p>One</p><p>Two</p></div>", "One Two"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ('<img src="a.png" alt="A &quot;red&quot; bike">', "A &quot;red&quot; bike"),
        ("<script>\nlet a = 1\n</script>", ""),
        ("<details><summary>More</summary>\n\nInside.\n\n</details>", "More Inside."),
        ("> [!NOTE]\n> Mind the gap.", "Mind the gap."),
        (":::tip Heads up\nMind the gap.\n:::", "Heads up Mind the gap."),
        ('!!! note "Title"\n    Mind the gap.', "Title Mind the gap."),
        ("Wow!!! Do it", "Wow!!! Do it"),
        ("term\n: its meaning", "term : its meaning"),
        ("{{ name }} {0} {x}", "{{ name }} {0} {x}"),
    ],
)
def test_plain_text_is_what_a_reader_sees(text: str, seen: str) -> None:
    assert plain(text) == seen


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "- ", "> "])
@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        (["<div>", "<!-- secret", "x -->", "shown &amp; read", "</div>"], "shown & read"),
        (["<script>", "var a;", "</script>"], ""),
        (["<p", "class='x'>hello", "there</p>"], "hello there"),
    ],
)
def test_html_over_several_lines_is_read_as_one(lines: list[str], seen: str, mark: str, end: str) -> None:
    later = {"- ": "  "}.get(mark, mark)
    section = only(mark + (end + later).join(lines) + end)
    assert " ".join(section.plain.text.split()) == seen
    text = section.plain.text
    for index, character in enumerate(text.rstrip()):
        if character.isspace():
            continue
        found = section.text[section.plain.raw_start(index, outer=False) : section.plain.raw_end(index, outer=False)]
        assert found in (character, "&amp;")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("See [the shop](http://x.org){.out}. More.", "See the shop. More."),
        ('![A map](a.png){:target="_blank" .big} and more', "A map and more"),
        ("**[the shop](http://x.org){#s}** and more", "the shop and more"),
        ("[a](b){ not } and {.not} either", "a{ not } and {.not} either"),
    ],
)
def test_attributes_of_a_link_are_not_read_out(text: str, seen: str) -> None:
    assert plain(text) == seen


def test_plain_characters_know_where_they_come_from() -> None:
    section = only("বাংলা **bold** [link](http://x.org) &amp; `code` 😀 \\* end\r\nnext")
    text, found = section.plain.text.rstrip(), section.plain
    for index, character in enumerate(text):
        piece = section.text[found.raw_start(index, outer=False) : found.raw_end(index, outer=False)]
        assert piece == character or (character, piece) in {("&", "&amp;"), (" ", "\r\n")}
        assert found.index_at(found.raw_start(index, outer=False)) == index


def test_outer_range_takes_in_the_markdown_around() -> None:
    section = only("See [the form](http://x.org). **Now.**")
    start, end = section.plain.text.index("the"), section.plain.text.index(".")
    assert section.text[section.plain.raw_start(start) : section.plain.raw_end(end - 1)] == "[the form](http://x.org)"
    last = section.plain.text.index("Now")
    assert section.text[section.plain.raw_start(last) : section.plain.raw_end(last + 3)] == "**Now.**"


def test_front_matter_like_lines_in_the_body_are_text() -> None:
    assert only("Text.\n\n+++\nid = 1\n+++\n").text.endswith("+++")
