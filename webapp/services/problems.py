"""What went wrong, in one plain line. A mistake of our own has no such line: it keeps its traceback."""

from __future__ import annotations


def plain_words(error: Exception) -> str | None:
    """Return the line to show for an error that people can do something about, else None."""
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        return _invalid(error.errors()[0])
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, (*_known(), OSError)):
        return _one_line(str(error.args[0] if isinstance(error, LookupError) and error.args else error))
    return None


def _known() -> tuple[type[Exception], ...]:
    """The errors whose messages are written for people. Imported only now: most runs have none."""
    from webapp.core.answering.model import ModelUnavailable
    from webapp.core.answering.question import InvalidQuestion
    from webapp.core.documents.config import CollectionError
    from webapp.core.documents.errors import DocumentError
    from webapp.core.evaluation.calibrate import TooFewQuestions
    from webapp.core.evaluation.evaluate import NoQuestions
    from webapp.core.evaluation.facts import FactsError
    from webapp.core.evaluation.questions import QuestionsError
    from webapp.core.registry import PartUnavailable, UnknownPart
    from webapp.core.retrieval.engine import IndexProblem
    from webapp.services.accounts import AccountError
    from webapp.services.backup import BackupError
    from webapp.services.drafts import DraftError
    from webapp.services.model import InvalidWish, UnknownCollection
    from webapp.settings import SettingsError
    from webapp.store.database import DatabaseError

    asked = (InvalidQuestion, InvalidWish, CollectionError, DocumentError, UnknownPart, UnknownCollection)
    written = (AccountError, DraftError)
    measured = (FactsError, NoQuestions, QuestionsError, TooFewQuestions, ModelUnavailable)
    return (*asked, *written, *measured, PartUnavailable, IndexProblem, SettingsError, DatabaseError, BackupError)


def _invalid(first: object) -> str:
    assert isinstance(first, dict)
    place = ".".join(str(part) for part in first["loc"])
    words = first["msg"].removeprefix("Value error, ")
    return _one_line(f"{place}: {words}" if place else words)


def _one_line(text: str) -> str:
    return " ".join(text.split())
