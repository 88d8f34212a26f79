"""Blocks that only other tools know: comments hide, samples are code, admonitions, tabs and tags hold Markdown."""

from __future__ import annotations

import pytest

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.chunking.verify import verify_document
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.disguise import disguised
from webapp.core.documents.model import BlockKind, Document
from webapp.core.documents.reading import document_from_bytes

COMMENTS = [
    "{/* Old:\n\n90 days.\n\n## Old\n\n- item\n*/}",
    "{% comment %}\nOld: 90 days.\n\n## Old\n\n- item\n{% endcomment %}",
    "{%- comment -%} 90 days. {%- endcomment -%}",
    "{{< comment >}}\n90 days.\n\n## Old\n{{< /comment >}}",
    "{{% comment %}}\n\n90 days.\n\n{{% /comment %}}",
    "{# Old:\n\n## Old\n\n90 days. #}",
    "{#- 90 days. -#}",
    "{{/* Old:\n\n90 days.\n\n## Old\n*/}}",
    "{{- /* 90 days. */ -}}",
    "{::comment}\n90 days.\n\n## Old\n{:/comment}",
]


def read(text: str) -> Document:
    return document_from_bytes(f"---\ntitle: T\nlang: en\n---\n{text}".encode(), "page.md", CollectionConfig())


def seen(document: Document) -> str:
    return " ".join(" ".join(section.plain.text for section in document.sections).split())


def sound(document: Document) -> bool:
    return verify_document(document, document.text.encode()).sound


def told(document: Document) -> list[tuple[BlockKind, str, tuple[str, ...]]]:
    blocks = [(section, block) for section in document.sections for block in section.blocks]
    return [
        (block.kind, " ".join(section.words_of(block).split()), section.heading_path + block.heading_path)
        for section, block in blocks
        if section.words_of(block).strip()
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("comment", COMMENTS)
def test_comment_is_no_text_however_many_paragraphs_it_has(comment: str, end: str) -> None:
    document = read(f"Now 30 days.\n\n{comment}\n\nGood. {comment} Indeed.\n\n{comment}\n- item\n".replace("\n", end))
    assert seen(document) == "Now 30 days. Good. Indeed. item"
    (section,) = document.sections
    assert [block.kind for block in section.blocks] == [
        BlockKind.PARAGRAPH,
        BlockKind.COMMENT,
        BlockKind.PARAGRAPH,
        BlockKind.COMMENT,
        BlockKind.LIST_ITEM,
    ]
    assert sound(document)


@pytest.mark.parametrize("comment", COMMENTS)
@pytest.mark.parametrize("strategy", [part.name for part in strategies.all()])
def test_chunk_neither_begins_with_a_comment_nor_is_one(strategy: str, comment: str) -> None:
    assert [chunk.text for chunk in cut(read(f"{comment}\n\nNow 30 days.\n"), strategy, {})] == ["Now 30 days."]
    assert cut(read(f"## A\n\n{comment}\n"), strategy, {}) == ()


@pytest.mark.parametrize("comment", COMMENTS)
def test_comment_in_a_sample_is_what_the_sample_shows(comment: str) -> None:
    document = read(f"```jsx\n{comment}\n```\n\nAfter.\n")
    assert document.sections[0].plain.text == f"{comment}\n\n\nAfter."
    assert sound(document)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`{% comment %}` opens, `{% endcomment %}` closes.", "{% comment %} opens, {% endcomment %} closes."),
        ("{% comment %} never closed\n\n## A\n\nText.", "never closed Text."),
        ("{/* never closed\n\nText.", "{/* never closed Text."),
        ("> {/* a\n> b */}\n> Quoted.", "Quoted."),
        ("- {/* a\n  b */}\n- item", "item"),
        ("    {/* shown */}", "{/* shown */}"),
        ("{/**/}\n\nText.", "Text."),
        ("## Fees {/*fees*/}\n\nText.", "Text."),
        ("C {#id} and PUT {# never", "C {#id} and PUT {# never"),
        ("<!-- c\n\nkept {/* not */}\n\n{# h #}\n", "c kept"),
        ("A <!-- {/* --> b\n\nc */} d\n\n-->", "A b c */} d -->"),
        ("{/*\n<!--\n*/}\n\nx -->", "x -->"),
    ],
)
def test_comments_by_their_surroundings(text: str, shown: str) -> None:
    document = read(text)
    assert seen(document) == shown
    assert sound(document)


MKDOCS = """\
!!! warning "Mind the *gap*"

    First. Second.

    - item

    ```sh
    # no heading
    ```

    !!! note
        Inside.

??? tip "Closed"
    Opened text.

=== "Linux"

    ### In a tab

    1. Run it.

=== "Windows"
    Click it.

After.
"""


def test_admonitions_and_tabs_of_mkdocs_hold_markdown() -> None:
    document = read(f"## A\n\n{MKDOCS}")
    kind = BlockKind
    assert told(document) == [
        (kind.PARAGRAPH, "Mind the gap", ("A",)),
        (kind.PARAGRAPH, "First. Second.", ("A",)),
        (kind.LIST_ITEM, "item", ("A",)),
        (kind.CODE, "# no heading", ("A",)),
        (kind.PARAGRAPH, "Inside.", ("A",)),
        (kind.PARAGRAPH, "Closed Opened text.", ("A",)),
        (kind.PARAGRAPH, "Linux", ("A",)),
        (kind.PARAGRAPH, "In a tab", ("A", "In a tab")),
        (kind.LIST_ITEM, "Run it.", ("A", "In a tab")),
        (kind.PARAGRAPH, "Windows Click it.", ("A",)),
        (kind.PARAGRAPH, "After.", ("A",)),
    ]
    sentences = [one.text for chunk in cut(document, "section", {}) for one in chunk.sentences]
    assert sentences[:3] == ["Mind the gap", "First.", "Second."]
    assert ("Closed" in sentences, "Opened text." in sentences) == (True, True)
    assert sound(document)


@pytest.mark.parametrize(
    ("indent", "step"),
    [("", "\t"), ("> ", "    "), ("- a\n\n\t", "\t"), ("1. a\n\n    ", "\t"), ("> - a\n>\n>   ", "    ")],
)
@pytest.mark.parametrize("opening", ['=== "Linux"', '??? tip "Linux"', '!!!note "Linux"', '<TabItem label="Linux">'])
def test_what_holds_markdown_by_tabs_in_quotes_and_lists(indent: str, step: str, opening: str) -> None:
    line = indent.rpartition("\n")[2]
    document = read(f"{indent}{opening}\n{line}\n{line}{step}Run it.\n{line}\n{line}{step}- item\n\nAfter.\n")
    assert [words for _, words, _ in told(document) if words != "a"] == ["Linux", "Run it.", "item", "After."]
    assert BlockKind.CODE not in {kind for kind, _, _ in told(document)}
    assert sound(document)


@pytest.mark.parametrize("text", ["!!!a\n    b", "???a\n\n\tb", "<A>\n     b", '=== ""\n    b', ":::row:::\n    b"])
def test_shortest_openings_are_replaced_character_by_character(text: str) -> None:
    assert len(disguised(text)) == len(text)
    assert sound(read(text))


def test_indented_columns_of_docfx_hold_markdown() -> None:
    text = (
        ':::row:::\n    :::column span="2":::\n        First. Second.\n\n        - item\n    :::column-end:::\n'
        ":::row-end:::\n\nAfter.\n"
    )
    document = read(text)
    assert [(kind, words) for kind, words, _ in told(document)] == [
        (BlockKind.PARAGRAPH, "First. Second."),
        (BlockKind.LIST_ITEM, "item"),
        (BlockKind.PARAGRAPH, "After."),
    ]
    assert sound(document)


def test_admonition_in_a_step_and_what_is_none() -> None:
    assert told(read("1. Step\n\n    !!! note\n        Inside.\n")) == [
        (BlockKind.LIST_ITEM, "Step", ("T",)),
        (BlockKind.LIST_ITEM, "Inside.", ("T",)),
    ]
    assert told(read("Over\n===\n    text\n"))[0][2] == ("Over",)
    assert seen(read("    !!! note\n        shown\n")) == "!!! note shown"
    assert seen(read("Wow!!! Do\n\n!!! Do\n\nNow ??? Yes\n")) == "Wow!!! Do Now ??? Yes"


def test_tags_of_components_end_what_html_would_swallow() -> None:
    text = (
        '<Tabs groupId="os">\n<TabItem\n  value="a"\n  label="Dhaka">\n## Here\n- item\n</TabItem>\n</Tabs>\n'
        "Text with <Badge text={{a: 1}} /> and <Tip>words</Tip>.\n\n<Card>\n    indented\n</Card>\n"
    )
    document = read(text)
    assert told(document) == [
        (BlockKind.PARAGRAPH, "Dhaka", ("T",)),
        (BlockKind.LIST_ITEM, "item", ("Here",)),
        (BlockKind.PARAGRAPH, "Text with and words.", ("Here",)),
        (BlockKind.PARAGRAPH, "indented", ("Here",)),
    ]
    assert sound(document)


def test_components_whose_text_is_indented_hold_markdown() -> None:
    text = (
        '<Group>\n  <Item title="How long?" icon={{a: 1}}>\n    30 days. No more.\n\n    - **box**\n\n    ```sh\n'
        "    # a\n    ```\n  </Item>\n  <Item\n    title='When?'\n  >\n\n    #### Then\n\n    Now.\n  </Item>\n"
        "  <Item>\n\n  ## Next\n\n  Text.\n\n  </Item>\n</Group>\n\nAfter.\n"
    )
    document = read(text)
    assert told(document) == [
        (BlockKind.PARAGRAPH, "How long? 30 days. No more.", ("T",)),
        (BlockKind.LIST_ITEM, "box", ("T",)),
        (BlockKind.CODE, "# a", ("T",)),
        (BlockKind.PARAGRAPH, "When?", ("T",)),
        (BlockKind.PARAGRAPH, "Then", ("T", "Then")),
        (BlockKind.PARAGRAPH, "Now.", ("T", "Then")),
        (BlockKind.PARAGRAPH, "Text.", ("Next",)),
        (BlockKind.PARAGRAPH, "After.", ("Next",)),
    ]
    assert sound(document)


@pytest.mark.parametrize("attribute", ['markdown="1"', "markdown", "markdown='block'"])
def test_html_that_says_it_holds_markdown(attribute: str) -> None:
    document = read(f'<div class="box" {attribute}>\n## Inside\n\n- **item**\n</div>\nAfter.\n')
    assert told(document) == [
        (BlockKind.LIST_ITEM, "item", ("Inside",)),
        (BlockKind.PARAGRAPH, "After.", ("Inside",)),
    ]
    assert sound(document)


def test_markdown_in_html_is_read_after_a_blank_line() -> None:
    document = read("<details>\n<summary>More</summary>\n\n## Inside\n\n- item\n\n</details>\n\nAfter.\n")
    assert [(words, path) for _, words, path in told(document)] == [
        ("More", ("T",)),
        ("item", ("Inside",)),
        ("After.", ("Inside",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        ":::note[Mind *this*]\nText.\n:::",
        ":::tip Mind this\nText.\n:::",
        ':::note{title="Mind this"}\nText.\n:::',
        ":::note\n:::tip[Mind this]\nText.\n:::\n:::",
        '{{% tab name="Mind this" %}}\nText.\n{{% /tab %}}',
        '{% tab title="Mind this" %}\nText.\n{% endtab %}',
        "> [!faq] Mind this\n> Text.",
    ],
)
def test_title_of_a_directive_is_a_sentence_of_its_own(text: str) -> None:
    document = read(text)
    assert [one.text for chunk in cut(document, "section", {}) for one in chunk.sentences] == ["Mind this", "Text."]
    assert sound(document)


@pytest.mark.parametrize(
    "opening",
    [
        ":::note[Mind this]",
        ":::note[Mind this]{.a} ",
        '!!! note "Mind this" ',
        '=== "Mind this"',
        '<Tab label="Mind this">',
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n\n    Text.\n", " \r\n"])
def test_lines_of_titles_are_whole_in_their_chunk(opening: str, end: str) -> None:
    document = read(f"{opening}{end}")
    for part in strategies.all():
        (chunk, *_) = cut(document, part.name, {})
        assert (chunk.text + " ").startswith(f"{opening.strip()} ")
        assert all(chunk.start <= one.start < one.end <= chunk.end for one in chunk.sentences)
    assert sound(document)


def test_tags_around_a_sample_are_whole_in_its_chunk() -> None:
    for text in ("{% highlight sh %}\nrun\n{% endhighlight %}", "{% highlight sh linenos %}\nrun\n{%endhighlight%}"):
        (chunk,) = cut(read(text), "paragraph", {})
        assert (chunk.text, chunk.plain) == (" ".join(text.split()), "run")


def test_tabs_of_docfx_keep_the_headings_above_and_end_at_a_rule() -> None:
    text = "# Page\n\n# [Linux](#tab/a)\n\nRun.\n\n# [Windows](#tab/b)\n\nClick.\n\n---\n\nAfter.\n\n## Next\n\nText.\n"
    assert [(words, path) for kind, words, path in told(read(text)) if kind is not BlockKind.HEADING] == [
        ("Run.", ("Page", "Linux")),
        ("Click.", ("Page", "Windows")),
        ("After.", ("Page",)),
        ("Text.", ("Page", "Next")),
    ]


@pytest.mark.parametrize(
    "opening",
    [
        "{% comment %}\n",
        "{/* a */} ",
        "{# ",
        "{{< comment >}}\n",
        "{{< code >}}\n",
        '<A b={"\n',
        "<A b={{\n",
        "!!! a\n    ",
        '=== "a"\n\n',
        ":::a[b\n",
        "```\n",
        "~~~~\n{% highlight a %}\n",
        "<div markdown='1'>\n",
        "{{< a codelang= ",
    ],
)
def test_endless_openings_are_read_at_once(opening: str) -> None:
    assert len(disguised(opening * 20_000)) == 20_000 * len(opening)
    assert read(opening * 5_000).sections
