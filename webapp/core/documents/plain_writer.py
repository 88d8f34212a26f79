"""A document's plain text while it is gathered, piece by piece, with the runs that lead back to the file."""

from __future__ import annotations

from array import array

from webapp.core.documents.plain import PARTED, Runs

_COLUMNS = 6  # of a run, in the order of Runs
_PLAIN_END, _RAW_END, _OUTER_END = -5, -3, -1  # of the last one


class PlainWriter:
    """What was gathered so far; all offsets but those of the text itself are the file's."""

    def __init__(self) -> None:
        self.length = 0
        self.tail = -1  # where in the file the last run ends, when text that follows there can be added to it
        self.opened = -1  # where the Markdown begins that opens before the next run
        self._pieces: list[str] = []
        self._runs = array("i")  # one row after the other

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self._runs) // _COLUMNS

    def add(self, text: str, start: int, end: int, outer: int = -1, outer_end: int = -1) -> None:
        """Add text that comes from the characters `start` to `end`; with the Markdown around, from `outer` on."""
        if not text:
            return
        if self.opened >= 0:
            outer, self.opened = self.opened, -1
        elif outer < 0:
            outer = start
        before = self.length
        self.length += len(text)
        self._runs.extend((before, self.length, start, end, outer, max(outer_end, end)))
        self._pieces.append(text)
        self.tail = end if len(text) == end - start and outer_end <= end else -1

    def follow(self, text: str, end: int) -> None:
        """Add text that goes on where the last run ended to that run."""
        self.length += len(text)
        runs = self._runs
        runs[_PLAIN_END] = self.length
        runs[_RAW_END] = runs[_OUTER_END] = self.tail = end
        self._pieces.append(text)

    def close_markup(self, end: int, first_run: int) -> None:
        """Say that Markdown around the last run closes at `end`, if that run is `first_run` or a later one."""
        self.opened = self.tail = -1
        if self.count > first_run:
            self._runs[_OUTER_END] = max(self._runs[_OUTER_END], end)

    def end_block(self) -> str:
        """End a block and return its text; what follows is parted from it by a blank line."""
        text = "".join(self._pieces)
        self._pieces.clear()
        if text:
            self.length += len(PARTED)
        return text

    def runs(self) -> Runs:
        """Return the runs, column by column."""
        return Runs(*(self._runs[column::_COLUMNS] for column in range(_COLUMNS)))
