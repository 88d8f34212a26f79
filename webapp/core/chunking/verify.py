"""Checks that chunks are exact: from the files' bytes anew, by another route than the one that cut them.

Nothing of the reading and cutting is used here but their results. Lines are split as bytes, comments and headings
are told by line patterns: simpler than the Markdown parser, and strict where both can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from webapp.core.chunking.base import strategies
from webapp.core.chunking.cut import cut
from webapp.core.documents.collection import load_collection
from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.model import BlockKind, Chunk, Document, Problem
from webapp.core.documents.reading import document_from_bytes

# Beside the defaults of every strategy: sizes that fall badly.
ODD_SETTINGS: tuple[tuple[str, dict[str, int]], ...] = (
    ("fixed", {"size": 97, "overlap": 31}),
    ("words", {"size": 7, "overlap": 3}),
    ("sentence", {"max_chars": 40}),
    ("structure", {"size": 10}),
)


class Inexact(BaseModel, frozen=True):
    """A chunk that is not what its lines say."""

    path: str
    strategy: str
    chunk: str
    why: str


class Uncovered(BaseModel, frozen=True):
    """A line of a body that stands in no chunk of some strategy."""

    path: str
    line: int
    strategy: str = ""


class HeldBack(BaseModel, frozen=True):
    """A file that was not read, and why."""

    path: str
    line: int
    problem: str


class VerifyReport(BaseModel, frozen=True):
    """What a check found. `chunks` counts over every strategy and setting."""

    files: int
    held_back: tuple[HeldBack, ...]
    chunks: int
    exact: int
    inexact: tuple[Inexact, ...]
    uncovered: tuple[Uncovered, ...]
    notes: tuple[HeldBack, ...] = ()  # worth saying, but the file is read

    @property
    def sound(self) -> bool:
        """Whether every chunk is exact and every line covered."""
        return not self.inexact and not self.uncovered


@dataclass(slots=True)
class _Tally:
    files: int = 0
    chunks: int = 0
    problems: list[Problem] = field(default_factory=list)
    inexact: list[Inexact] = field(default_factory=list)
    uncovered: list[Uncovered] = field(default_factory=list)


def verify(paths: Iterable[Path]) -> VerifyReport:
    """Check folders and single files over every registered strategy. Raises CollectionError for a path unusable."""
    tally = _Tally()
    for path in paths:
        if path.is_dir():
            _check_folder(path, tally)
        else:
            _check_file(path, tally)
    return _report(tally)


def verify_document(document: Document, data: bytes) -> VerifyReport:
    """Check one document over every registered strategy against the bytes it was read from."""
    tally = _Tally(files=1)
    _check(document, data, tally)
    return _report(tally)


def _report(tally: _Tally) -> VerifyReport:
    return VerifyReport(
        files=tally.files,
        held_back=_told(tally.problems, held_back=True),
        notes=_told(tally.problems, held_back=False),
        chunks=tally.chunks,
        exact=tally.chunks - len(tally.inexact),
        inexact=tuple(tally.inexact),
        uncovered=tuple(tally.uncovered),
    )


def _told(problems: Iterable[Problem], held_back: bool) -> tuple[HeldBack, ...]:
    return tuple(
        HeldBack(path=problem.path, line=problem.line, problem=problem.problem)
        for problem in problems
        if problem.held_back is held_back
    )


def _check_folder(folder: Path, tally: _Tally) -> None:
    collection = load_collection(folder)
    tally.problems.extend(collection.problems)
    tally.files += len(collection.documents) + len({found.path for found in collection.problems if found.held_back})
    for document in collection.documents:
        _check(document, (folder / document.path).read_bytes(), tally)


def _check_file(file: Path, tally: _Tally) -> None:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise CollectionError(f"{file} can't be read: {error.strerror}") from error
    tally.files += 1
    try:
        _check(document_from_bytes(data, file.name, CollectionConfig()), data, tally)
    except DocumentError as error:
        tally.problems.append(Problem(str(file), error.line, str(error)))


def _settings() -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from ((part.name, {}) for part in strategies.all())
    yield from ODD_SETTINGS


def _check(document: Document, data: bytes, tally: _Tally) -> None:
    lines = file_lines(data if _is_unicode(data) else document.text.encode())
    folded = folded_lines(lines)
    wanted = body_lines(lines, document.body_line)
    for strategy, options in _settings():
        chunks = cut(document, strategy, options)
        tally.chunks += len(chunks)
        for chunk in chunks:
            why = fault(chunk, folded)
            if why:
                tally.inexact.append(Inexact(path=document.path, strategy=strategy, chunk=chunk.id, why=why))
        covered = {n for chunk in chunks for n in range(chunk.location.first_line, chunk.location.last_line + 1)}
        missing = sorted(wanted - covered - headed_lines(document))
        tally.uncovered.extend(Uncovered(path=document.path, line=line, strategy=strategy) for line in missing)


_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def file_lines(data: bytes) -> list[str]:
    """Return the lines of a file, from its bytes, as an editor numbers them."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding)
            break
    else:
        text = data.decode("utf-8", "replace")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _is_unicode(data: bytes) -> bool:
    """Say whether the bytes tell their encoding; what the loader had to guess can't be told by another route."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.startswith(tuple(mark for mark, _ in _MARKS))
    return True


def folded_lines(lines: list[str]) -> list[str]:
    """Return the lines with white space folded, as chunks give their text."""
    return [" ".join(line.split()) for line in lines]


def fault(chunk: Chunk, lines: list[str]) -> str:
    """Return what is wrong with a chunk's lines or text, "" when they are exact. `lines` have white space folded."""
    first, last = chunk.location.first_line, chunk.location.last_line
    if not chunk.text:
        return "empty"
    if not 1 <= first <= last <= len(lines):
        return f"lines {first}-{last} of {len(lines)}"
    own = lines[first - 1 : last]
    if chunk.text not in " ".join(line for line in own if line):
        return "its lines hold another text"
    if not own[0] or not own[-1]:
        return "it begins or ends with a blank line"
    if first < last and chunk.text in " ".join(line for line in own[1:] if line):
        return _unless_repeated(chunk, own)
    return ""


def _unless_repeated(chunk: Chunk, own: list[str]) -> str:
    """A text that also stands in fewer of the lines is at fault, unless it begins on the first line too."""
    joined = " ".join(line for line in own if line)
    return "" if joined.startswith(chunk.text) or joined.find(chunk.text) < len(own[0]) else "its lines begin too early"


_COMMENTS = tuple(  # of HTML, Hugo, MDX, Jinja, Liquid and kramdown
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"<!--(?:-?>|.*?-->)",
        r"\{\{-?\s*/\*.*?\*/[ \t]*-?\}\}",
        r"\{/\*.*?\*/\}",
        r"\{#-?\s.*?#\}",
        r"\{%-?\s*comment\b.*?\{%-?[ \t]*endcomment[ \t]*-?%\}",
        r"\{\{[<%]\s*comment\s*[>%]\}\}.*?\{\{[<%][ \t]*/[ \t]*comment[ \t]*[>%]\}\}",
        r"\{::comment\}.*?\{:/(?:comment)?\}",
    )
)
_MARKS_ONLY = re.compile(r"(?:\s|>|[-*+]|\d+[.)])*")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")


def body_lines(lines: list[str], body_line: int) -> set[int]:
    """Return the numbers of the lines that must stand in a chunk: not blank, no heading, not all comment."""
    wanted: set[int] = set()
    commented = _commented(lines, body_line)
    for number in range(body_line, len(lines) + 1):
        line = lines[number - 1]
        if line.strip() and number not in commented and not _ATX.match(line):
            wanted.add(number)
    return wanted


def _commented(lines: list[str], body_line: int) -> set[int]:
    """Return the lines of the body that hold nothing but comments, or the mark of a list or quote before one."""
    body = lines[body_line - 1 :]
    text = "\n".join(body)
    bare = list(text)
    for found in (one for pattern in _COMMENTS for one in pattern.finditer(text)):
        bare[found.start() : found.end()] = (char if char == "\n" else " " for char in found[0])
    left = "".join(bare).split("\n")
    return {body_line + at for at, line in enumerate(body) if left[at] != line and _MARKS_ONLY.fullmatch(left[at])}


def headed_lines(document: Document) -> set[int]:
    """Return the lines of headings, among them those underlined, which no pattern of one line tells."""
    held: set[int] = set()
    for section in document.sections:
        for first, last in section.heading_lines:
            held.update(range(first, last + 1))
        for block in section.blocks:
            if block.kind is BlockKind.HEADING:
                start, end = section.start + block.start, section.start + block.end
                held.update(range(document.line_at(start), document.line_at(end - 1) + 1))
    return held
