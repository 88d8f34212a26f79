"""What holds for every registered strategy on any Markdown whatever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.chunking.verify import ODD_SETTINGS, body_lines, fault, file_lines, folded_lines, headed_lines
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.lines import line_starts
from webapp.core.documents.model import Chunk, Document
from webapp.core.documents.reading import document_from_bytes

CONFIG = CollectionConfig()
SETTINGS: list[tuple[str, dict[str, int]]] = [(part.name, {}) for part in strategies.all()] + list(ODD_SETTINGS)

SAMPLES = """\
# One
## Two
### Three {#id}
#### Four
Setext
===
Setext two
---
***
Plain words here. And **bold words.** More
A [link. With](http://x.org/a_b) end. `code. Here` done!
![alt text](a.png "t") &amp; &nbsp; &#x41; <b>tag</b> <br> x
বাংলা বাক্য। আরেকটি বাক্য? হ্যাঁ!
- item one. Two.
- [ ] task
  - nested
1. first
   continued
> quote
> ## head in quote
>
| a | b |
|---|---|
| 1 | 2 |
a | b
--|--
x | y
```sh
# comment
```
~~~
~~~ x
    indented code
\ttabbed
<!-- comment -->
<!-- open
closed -->
text <!-- inline --> text
<div>
<p>In a block. Two.</p>
</div>
<details><summary>S</summary>
[ref]: http://example.org "t"
[^1]: A note. With two.
term
: definition
import X from 'y'
export const a = 1
<Tabs items={[1, 2]}>
<Tab label="one">
</Tab>
:::note
:::note[A title]
!!! note "A title"
=== "Tab"
    {/* open
closed */} text {% comment %} hidden
{% endcomment %}
{{< highlight sh >}}
{{< /highlight >}}
<div markdown="1">
# [Tab](#tab/a)
> [!NOTE]
\\* escaped \\_ it\\_
\u2028 sep \u0085 nel \x0c ff \x0b vt
\x00 nul
\ufeff mark
\u200b
𝔘𝔫𝔦 😀 e\u0301
&lt;x
*a*b **c
"""
FRAGMENTS = SAMPLES.split("\n")
LINE_ENDS = st.sampled_from(["\n", "\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", " \n", "\n \n"])
MARKDOWN = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=12)).flatmap(lambda line: LINE_ENDS.map(line.__add__)),
    max_size=14,
).map("".join)


def read(text: str) -> Document:
    return document_from_bytes(text.encode("utf-8", "replace"), "a/page.md", CONFIG)


def every_cut(document: Document) -> Iterator[tuple[str, tuple[Chunk, ...]]]:
    for strategy, options in SETTINGS:
        yield strategy, cut(document, strategy, options)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(MARKDOWN)
@example("<!-- a -->\n\n# T\n\n<!-- b\n\nc -->\ntext\n")
@example("> a\n>\n> b\n\n[x]: y\n---\n")
def test_every_chunk_is_exact_and_every_line_is_in_one(text: str) -> None:
    document = read(body(text))
    lines = file_lines(document.text.encode())
    wanted, folded = body_lines(lines, document.body_line) - headed_lines(document), folded_lines(lines)
    for _, chunks in every_cut(document):
        assert [fault(chunk, folded) for chunk in chunks] == [""] * len(chunks)
        covered = {n for chunk in chunks for n in range(chunk.location.first_line, chunk.location.last_line + 1)}
        assert wanted <= covered


@settings(max_examples=150, deadline=None, derandomize=True)
@given(MARKDOWN)
def test_chunks_go_forward_and_are_counted(text: str) -> None:
    document = read(body(text))
    for _, chunks in every_cut(document):
        assert [chunk.id for chunk in chunks] == [f"{document.id}:c{n}" for n in range(len(chunks))]
        for before, after in pairwise(chunks):
            assert before.start < after.start
            assert before.end < after.end
        for chunk in chunks:
            assert chunk.text == " ".join(document.text[chunk.start : chunk.end].split()) != ""


@settings(max_examples=150, deadline=None, derandomize=True)
@given(MARKDOWN)
def test_sentences_lie_in_their_chunk_and_make_up_its_plain_text(text: str) -> None:
    document = read(body(text))
    for strategy, chunks in every_cut(document):
        for chunk in chunks:
            at = 0
            for one in chunk.sentences:
                assert one.text in chunk.plain[at:]
                at = chunk.plain.index(one.text, at) + len(one.text)
            if strategy in ("paragraph", "sentence", "structure"):  # the others may hold headings, too
                assert fold("".join(one.text for one in chunk.sentences)) == fold(chunk.plain)
            for one in chunk.sentences:
                assert one.text
                assert chunk.start <= one.start < one.end <= chunk.end
                assert chunk.location.first_line <= one.first_line <= one.last_line <= chunk.location.last_line


@settings(max_examples=150, deadline=None, derandomize=True)
@given(MARKDOWN)
def test_structural_chunks_cross_no_heading(text: str) -> None:
    document = read(body(text))
    headings = [
        section.start + block.start
        for section in document.sections
        for block in section.blocks
        if block.kind == "heading"
    ]
    for strategy in ("paragraph", "sentence", "structure"):
        for chunk in cut(document, strategy, {}):
            assert not any(chunk.start <= heading < chunk.end for heading in headings)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(MARKDOWN, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_of_any_kind_give_the_same_chunks(text: str, end: str) -> None:
    text = re.sub(r"\r\n?", "\n", body(text))
    plain, other = read(text), read(text.replace("\n", end))
    assert len(plain.line_starts) == len(other.line_starts)
    for strategy, options in SETTINGS:
        assert [told(chunk) for chunk in cut(plain, strategy, options)] == [
            told(chunk) for chunk in cut(other, strategy, options)
        ]


def fold(text: str) -> str:
    return "".join(text.split())


def told(chunk: Chunk) -> tuple[object, ...]:
    place = chunk.location
    return chunk.text, chunk.plain, place.first_line, place.last_line, place.heading_path


def body(text: str) -> str:
    """The text as a body: behind front matter, so that none is looked for in it."""
    return f"---\nstatus: current\n---\n{text}"


@pytest.mark.parametrize("ends", [["a\n", "b\r", "c\r\n", "d"], ["\r\r\n\n"], ["\u2028\x0c\x85"]])
def test_lines_are_counted_as_an_editor_does(ends: list[str]) -> None:
    text = "".join(ends)
    lines = file_lines(text.encode())
    assert len(line_starts(text)) in (len(lines), len(lines) - (not lines[-1]))
