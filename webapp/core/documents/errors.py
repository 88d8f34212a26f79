"""What goes wrong with one document."""

from __future__ import annotations


class DocumentError(ValueError):
    """A file can't be used; the message says why and what to do. `line` is 1-based, 0 for the file as a whole."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
