"""A questions file as people keep it: read line by line, and changed without touching the lines beside.

Unlike `read_questions`, it can hold lines that can't be used: whoever mends a file must see them.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property

from webapp.core.evaluation.questions import Question, QuestionsError, as_line, parse_question

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_BOM = "\ufeff"
_KNOWN = ("id", "question", "answerable", "document", "lines", "fact", "also", "lang")


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line that isn't blank: 1-based, without its end. Either `question` is there, or `problem` says why not."""

    number: int
    text: str
    question: Question | None
    problem: str = ""

    @property
    def mark(self) -> str:
        """A word that changes when the line does: an editor who saw another one must look again."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class QuestionsFile:
    """A file's text and what its lines say. It never changes: changes give a new one, alike but for one line."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self._lines = _LINE.findall(text)

    @cached_property
    def lines(self) -> tuple[FileLine, ...]:
        """The lines that aren't blank, in order."""
        seen: dict[str, int] = {}
        return tuple(
            _read(number, content, seen)
            for number, line in enumerate(self._lines, 1)
            if (content := line.removeprefix(_BOM).rstrip("\r\n")).strip()
        )

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the lines that can be used."""
        return tuple(line.question for line in self.lines if line.question)

    @property
    def problems(self) -> tuple[FileLine, ...]:
        """The lines that can't be used."""
        return tuple(line for line in self.lines if line.question is None)

    def find(self, question_id: str) -> FileLine | None:
        """Return the line of that question."""
        return next((line for line in self.lines if line.question and line.question.id == question_id), None)

    def with_added(self, *added: str) -> QuestionsFile:
        """Return the file with lines at its end."""
        end = self._line_end()
        unfinished = bool(self._lines) and not self._lines[-1].endswith(("\r", "\n"))
        return QuestionsFile(self.text + (end if unfinished and added else "") + "".join(one + end for one in added))

    def with_changed(self, number: int, content: str) -> QuestionsFile:
        """Return the file with another content of that line, whose end stays."""
        line = self._lines[number - 1]
        begin = _BOM if line.startswith(_BOM) else ""
        end = line[len(line.rstrip("\r\n")) :]
        return self._with(number, begin + content + end)

    def without(self, number: int) -> QuestionsFile:
        """Return the file without that line."""
        return self._with(number, _BOM if self._lines[number - 1].startswith(_BOM) else "")

    def _with(self, number: int, line: str) -> QuestionsFile:
        return QuestionsFile("".join([*self._lines[: number - 1], line, *self._lines[number:]]))

    def _line_end(self) -> str:
        first = self._lines[0] if self._lines else "\n"
        return first[len(first.rstrip("\r\n")) :] or "\n"


def written(question: Question, before: str = "{}") -> str:
    """Return the line of a question. What the line had `before` beside the fields that are known here stays in it,
    and so does their order."""
    had, new = json.loads(before.removeprefix(_BOM)), as_line(question)
    kept = {name: new.get(name, value) for name, value in had.items() if name in new or name not in _KNOWN}
    return json.dumps(kept | new, ensure_ascii=False)


def _read(number: int, content: str, seen: dict[str, int]) -> FileLine:
    try:
        question = parse_question(content)
    except QuestionsError as problem:
        return FileLine(number, content, None, str(problem))
    first = seen.setdefault(question.id, number)
    if first != number:
        return FileLine(number, content, None, f"id {question.id!r} is also that of line {first}")
    return FileLine(number, content, question)
