"""HTML, DOCX and PDF → Markdown files, which then are documents like any other: their lines are what is cited.

The work is markitdown's, an extra of the project. Pages of a PDF are converted one by one, so that each keeps its
number. Reading a collection never converts: only the command does, because it writes.
"""

from __future__ import annotations

import importlib.util
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from webapp.core.documents.collection import visible_files
from webapp.core.documents.config import CollectionError
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.lines import fold, lines_of
from webapp.core.documents.model import Problem
from webapp.core.documents.originals import (
    CONVERTED_FROM,
    ORIGINALS,
    SOURCE_HASH,
    hash_of,
    page_mark,
    recorded_hash,
    stored_name,
)

_RULE = "---\n"
_ATX = re.compile(r"^#{1,6} ", re.MULTILINE)
_NO_TEXT = "there is no text in it; a scan has to be read by an OCR program first"


class Outcome(StrEnum):
    """What became of an original."""

    CONVERTED = "converted"
    UNCHANGED = "unchanged"  # its conversion is of this very state
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Conversion:
    """One original, where its Markdown is stored, and what went wrong if something did."""

    original: Path
    stored: Path
    outcome: Outcome
    problem: str = ""


def convert(paths: Iterable[Path], into: Path | None = None) -> Iterator[Conversion]:
    """Convert files and folders of them, beside the originals or at the same places below `into`.

    Raises CollectionError when the extra is not installed or a path can't be used.
    """
    if importlib.util.find_spec("markitdown") is None:
        raise CollectionError("converting needs an extra; install it with: pip install 'evidencedesk[convert]'")
    for path in paths:
        root = path if path.is_dir() else path.parent
        for original in _originals(path):
            folder = into / original.parent.relative_to(root) if into else original.parent
            yield _converted(original, folder / stored_name(original))


def _originals(path: Path) -> Iterator[Path]:
    """Yield the path itself, or what can be converted in a folder."""
    if path.is_dir():
        unreadable: list[Problem] = []
        yield from (file for file in visible_files(path, unreadable) if file.suffix.lower() in ORIGINALS)
    elif not path.is_file():
        raise CollectionError(f"{path} is not there; give a file or a folder")
    elif path.suffix.lower() not in ORIGINALS:
        raise CollectionError(f"{path} can't be converted; there are converters for {', '.join(sorted(ORIGINALS))}")
    else:
        yield path


def _converted(original: Path, stored: Path) -> Conversion:
    try:
        data = original.read_bytes()
        before = stored.read_text(encoding="utf-8") if stored.exists() else ""
        if recorded_hash(before) == hash_of(data):
            return Conversion(original, stored, Outcome.UNCHANGED)
        if before and not recorded_hash(before):
            raise DocumentError(f"{stored} is there and was not made from it; move it away")
        text = _markdown(original, data)
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text(_head(original, data, before, text) + text.body, encoding="utf-8", newline="\n")
    except (DocumentError, UnicodeDecodeError) as error:
        return Conversion(original, stored, Outcome.FAILED, str(error))
    except OSError as error:
        return Conversion(original, stored, Outcome.FAILED, f"{error.filename}: {error.strerror}")
    return Conversion(original, stored, Outcome.CONVERTED)


@dataclass(frozen=True, slots=True)
class _Text:
    """What a converter made of a file."""

    body: str
    title: str = ""


def _head(original: Path, data: bytes, before: str, text: _Text) -> str:
    """Return the front matter; of an earlier conversion everything is kept but the state of the original."""
    state = f"{SOURCE_HASH}: {hash_of(data)}"
    if before:
        head = before.split(f"\n{_RULE}", 1)[0] + f"\n{_RULE}"
        return head.replace(f"{SOURCE_HASH}: {recorded_hash(before)}", state) + "\n"
    title = text.title or ("" if _ATX.search(text.body) else original.stem)  # else the first heading will be it
    lines = [f"title: {_quoted(title)}"] if title else []
    return "\n".join(["---", *lines, f"{CONVERTED_FROM}: {_quoted(original.name)}", state, f"{_RULE}\n"])


def _quoted(words: str) -> str:
    escaped = words.replace("'", "''")
    return f"'{escaped}'"


def _markdown(original: Path, data: bytes) -> _Text:
    """Return the Markdown of a file. Raises DocumentError, whatever its converter stumbles over."""
    try:
        text = _CONVERTERS[original.suffix.lower()](data)
    except Exception as error:  # converters raise what the libraries below them raise
        raise DocumentError(f"it can't be converted: {fold(str(error)) or type(error).__name__}") from error
    if not text.body.strip():
        raise DocumentError(_NO_TEXT)
    return text


_LITERAL = {"escape_misc": True}  # `<b>`, `|` or `# 5` in the text of a page are no Markdown


def _html(data: bytes) -> _Text:
    from markitdown import StreamInfo
    from markitdown.converters import HtmlConverter

    made = HtmlConverter().convert(io.BytesIO(_with_bars(data)), StreamInfo(extension=".html"), **_LITERAL)
    return _Text(_tidy(made.markdown), fold(made.title or ""))


def _with_bars(data: bytes) -> bytes:
    """Return HTML whose code in tables has its bars escaped, which the converter leaves as ends of cells."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(data, "html.parser", from_encoding="utf-8")
    barred = [words for words in soup.select("td code, td pre, th code, th pre") if "|" in words.text]
    for words in {id(string): string for code in barred for string in code.find_all(string=True)}.values():
        words.replace_with(words.replace("|", "\\|"))
    return str(soup).encode() if barred else data


def _docx(data: bytes) -> _Text:
    from markitdown import StreamInfo
    from markitdown.converters import DocxConverter

    converter = DocxConverter()  # type: ignore[no-untyped-call]
    return _Text(_tidy(converter.convert(io.BytesIO(data), StreamInfo(extension=".docx"), **_LITERAL).markdown))


def _pdf(data: bytes) -> _Text:
    from markitdown import StreamInfo
    from markitdown.converters import PdfConverter

    converter, kind = PdfConverter(), StreamInfo(extension=".pdf")
    made = (converter.convert(io.BytesIO(page), kind).markdown for page in _pages(data))
    pages = ((number, _tidy(text)) for number, text in enumerate(made, start=1))
    return _Text("\n".join(f"{page_mark(number)}\n{text}" for number, text in pages if text))


def _pages(data: bytes) -> Iterator[bytes]:
    """Yield each page as a PDF of its own."""
    import pypdfium2

    with pypdfium2.PdfDocument(data) as whole:
        for number in range(len(whole)):
            with pypdfium2.PdfDocument.new() as page:
                page.import_pages(whole, [number])
                saved = io.BytesIO()
                page.save(saved)
                yield saved.getvalue()


def _tidy(markdown: str) -> str:
    """Return the lines without white space at their ends and without blank ones around them."""
    text = "\n".join(line.rstrip() for line in lines_of(markdown.replace("\f", "\n"))).strip("\n")
    return f"{text}\n" if text else ""


_CONVERTERS: dict[str, Callable[[bytes], _Text]] = {".html": _html, ".htm": _html, ".docx": _docx, ".pdf": _pdf}
