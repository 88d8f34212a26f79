"""Files that nobody would write, read and cut for a long time: none may crash or hang us, lose a line or move one.

atheris (coverage-guided, Linux) makes them out of a few pages and the marks of Markdown and front matter. What it
finds is written to build/fuzz/found; run the file named there again with `--replay`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris
import click

with atheris.instrument_imports(include=["webapp.core.documents", "webapp.core.chunking"]):
    from webapp.core.chunking.base import strategies
    from webapp.core.chunking.cut import cut
    from webapp.core.chunking.verify import verify_document
    from webapp.core.documents.config import CollectionConfig
    from webapp.core.documents.errors import DocumentError
    from webapp.core.documents.model import Document
    from webapp.core.documents.reading import document_from_bytes

FOLDER = Path(__file__).parents[1] / "build" / "fuzz"
SECONDS = 10  # a file of MOST_BYTES that takes longer counts as a hang
MOST_BYTES = 3000
CONFIG = CollectionConfig()
SEEDS = (
    "---\nid: a\ntitle: A: b # c\nversion: 1.10\nlang: bn\n---\n# T\n\nবাক্য। আরেকটি? Text with **bold**.\n",
    "+++\ntitle = 'x'\ndate = 2020-01-31\n+++\n## A\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- x\n  - y\n\n```\n# z\n```\n",
    '{"title": "x"}\nOver\n===\n> [!NOTE]\n> q\n\n<!-- c\n\nd -->\n<div>e</div>\n[r]: http://x.org\n',
    "\ufeff---\r\nstatus: current\r\n---\r\nDr. A. 3.5 Tk. 500\rimport X from 'y'\n:::n\n&amp; \\* `c. D` [l. M](n)\n",
    '!!! a "b"\n    c\n\n    - d\n=== "e"\n    f\n\n<Tab label="g">\n## h\n</Tab>\n# [i](#tab/j)\nk\n---\n:::l[m]\nn\n',
    "{/* a\n\n## b\n*/}\n\n{% comment %}d\n\ne{% endcomment %} f\n{% highlight a %}\n# g\n{% endhighlight %}\n{# h #}",
    'import {\n\nA} from "a"\n\n> === "b"\n>\n>     c :::image alt-text="d"::: e\n\n{% a title="f" %}\ng\n{.h}\n',
    ':::row:::\n    :::column:::\n        a\n\n<B title="c">d\n\n\t??? e\n\n\t\tf\n:::g{title="h"}\n{{/*\nj */}}\n',
    '<p a={{b: "c"}}>d\n\n<e f={g\n\n} h="i">j</e> <xref:K.L?m=n>\n\n<br a={`\n`}/>\n',
    '# A {#a}\n{{< x >}}s{{< /x >}}\n\n{% y %} [l]({% z %}){.c}\n:::image alt-text="d":::\n- ### H\n  i\n- [!NOTE]\n',
)
MARKS = """
    --- +++ ``` ~~~ # ## === <!-- --> <div> </div> <b <br> > - * + 1. | |---| \\ ` ** __ ~~ [ ]( ) ![ ]: [^1] &amp; &#
    { } {# : ; ::: !!! import export id: title: status: current draft lang: version: Dr. Mr. e.g.
    {{< >}} {{% %}} {% %} {. [! {/* */} {# #} comment endcomment highlight endhighlight codelang= !!! ??? === "t" <Tab
    label= title=" {{/* */}} {::comment} {:/} export import :::row::: :::image alt-text=" [!DNL
    :material- *[ (#tab/ /// <xref: ={ \\x19 \\x1a
    \\x0a \\x0d \\x0d\\x0a \\x09 \\x0a\\x0a \\xe0\\xa5\\xa4 \\xe0\\xa6\\xa1\\xe0\\xa6\\xbe. \\xef\\xbb\\xbf \\xff\\xfe
    \\xe2\\x80\\xa8 \\xc2\\x85 \\x00
"""


class Unsound(Exception):
    """A file whose chunks are not what its lines say."""


@click.command(help=__doc__)
@click.option("--minutes", default=60.0, help="How long in all")
@click.option("--replay", type=click.Path(path_type=Path, exists=True), help="A file that was found")
def main(minutes: float, replay: Path | None) -> None:
    """Make files until the time is over; the exit code is not 0 when one was found."""
    if replay:
        check(replay.read_bytes())
        return
    known, found = FOLDER / "known", FOLDER / "found"
    for folder in (known, found):
        folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (known / f"seed{number}").write_bytes(seed.encode())
    marks = FOLDER / "marks.txt"
    marks.write_text("".join(f'"{_escaped(mark)}"\n' for mark in MARKS.split()), encoding="ascii")
    options = [f"-max_total_time={minutes * 60:.0f}", f"-timeout={SECONDS}", f"-max_len={MOST_BYTES}"]
    atheris.Setup([sys.argv[0], str(known), f"-dict={marks}", f"-artifact_prefix={found}/", *options], check)
    atheris.Fuzz()


def _escaped(mark: str) -> str:
    """Return a mark as libFuzzer's dictionaries write it; `\\x0a` stands in MARKS as such."""
    return mark if mark.startswith("\\x") else mark.replace("\\", "\\\\")


def check(data: bytes) -> None:
    """Read and cut one file. Raises Unsound, or whatever goes wrong on the way."""
    if len(data) % 16:  # else it is left in whatever encoding it is: guessing that takes far longer than the rest
        data = data.decode("utf-8", "replace").encode()
    try:
        document = document_from_bytes(data, "a/page.md", CONFIG)
    except DocumentError:
        return  # held back, and said
    _check_places(document)
    report = verify_document(document, data)
    if not report.sound:
        raise Unsound(report.model_dump_json(include={"inexact", "uncovered"}))
    for part in strategies.all():
        _check_sentences(document, part.name)


def _check_places(document: Document) -> None:
    """Each stretch of plain text must come from after the one before it, or places in the file can't be looked up."""
    for section in document.sections[:1]:
        runs = section.plain.whole.runs
        for last, following in zip(runs.raw_end[:-1], runs.raw[1:], strict=True):
            if last > following:
                raise Unsound(f"a stretch of plain text begins at {following}, the one before ends at {last}")


def _check_sentences(document: Document, strategy: str) -> None:
    for chunk in cut(document, strategy, {}):
        for one in chunk.sentences:
            if not (one.text and chunk.start <= one.start < one.end <= chunk.end):
                raise Unsound(f"{chunk.id} ({strategy}): {one}")


if __name__ == "__main__":
    main()
