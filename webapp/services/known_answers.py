"""The same question asked again, or by several at once: worked out once, told to each as an answer of their own."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from webapp.core.answering.model import Answer, Followed, Reason, Trace
from webapp.core.answering.question import checked
from webapp.core.retrieval.engine import Manifest
from webapp.core.retrieval.model import Reader
from webapp.services.aside import aside
from webapp.services.model import AskOptions

Made = tuple[Answer, Trace]

# Others are accidents of one reply: asking again may go better.
_LASTING = {Reason.OK, Reason.NO_EVIDENCE, Reason.WEAK_EVIDENCE, Reason.MODEL_ABSTAINED}


@dataclass(frozen=True, slots=True)
class Asking:
    """All that an answer depends on but chance: whoever asks the same in the same way may be told the same."""

    question: str
    reader: Reader
    index_version: str
    model: str
    day: date  # pages are valid until a day
    lang: str | None
    only_lang: str | None
    attributes: frozenset[tuple[str, str]]
    follows: Followed | None


def asking_of(question: str, reader: Reader, version: Manifest, model: str, options: AskOptions) -> Asking:
    """Return what the answer to a question depends on. Raises InvalidQuestion."""
    return Asking(
        question=checked(question),
        reader=reader,
        index_version=version.id,
        model=model,
        day=date.today(),
        lang=options.lang,
        only_lang=options.only_lang,
        attributes=frozenset(options.attributes.items()),
        follows=options.follows,
    )


class KnownAnswers:
    """The last answers of this process, of one index version. Safe to use from several threads."""

    def __init__(self, most: int) -> None:
        """Remember at most so many; 0: none, and only what is asked at the same moment is worked out once."""
        self._most = most
        self._version = ""
        self._known: OrderedDict[Asking, Made] = OrderedDict()
        self._at_work: dict[Asking, Future[Made | None]] = {}
        self._lock = threading.Lock()

    def get(self, asking: Asking, make: Callable[[], Made]) -> Made:
        """Return what is made, or an answer of its own that says the same as one known or being made. Raises what
        `make` raises; whoever waits for it is told the same of the same question. When only its maker was stopped,
        the next makes it."""
        while True:
            with self._lock:
                if known := self._find(asking):
                    return _again(known)
                if (at_work := self._at_work.get(asking)) is None:
                    mine = self._at_work[asking] = Future()
            if at_work is None:
                return self._make(asking, mine, make)
            with aside():
                made = at_work.result()
            if made:
                return _again(made)

    def _find(self, asking: Asking) -> Made | None:
        """A question to another version empties it: nobody asks the one before again."""
        if self._version != asking.index_version:
            self._version = asking.index_version
            self._known.clear()
        if known := self._known.get(asking):
            self._known.move_to_end(asking)
        return known

    def _make(self, asking: Asking, promise: Future[Made | None], make: Callable[[], Made]) -> Made:
        try:
            made = make()
        except BaseException as error:
            self._done(asking, None)
            if isinstance(error, Exception):
                promise.set_exception(error)
            else:  # the end of a thread or of a process says nothing about the question
                promise.set_result(None)
            raise
        self._done(asking, made)
        promise.set_result(made)
        return made

    def _done(self, asking: Asking, made: Made | None) -> None:
        with self._lock:
            del self._at_work[asking]
            if made and self._version == asking.index_version and _lasts(asking, made[0]):
                self._keep(asking, made)

    def _keep(self, asking: Asking, made: Made) -> None:
        self._known[asking] = made[0], _without_passages(made[1])
        if len(self._known) > self._most:
            self._known.popitem(last=False)


def _lasts(asking: Asking, answer: Answer) -> bool:
    """An answer that another model gave, because the day's money was spent, is not the wanted one's."""
    stood_in = answer.model == "extractive" and asking.model != answer.model
    return answer.reason in _LASTING and not stood_in


def _again(made: Made) -> Made:
    answer, trace = made
    own = {"id": secrets.token_urlsafe(16), "created_at": datetime.now(UTC)}
    return answer.model_copy(update=own), replace(trace, same_as=answer.id)


def _without_passages(trace: Trace) -> Trace:
    """They are kept with nothing, and weigh the most; what was sent stands in the prompt's text."""
    return replace(trace, prompt=replace(trace.prompt, evidence=())) if trace.prompt else trace
