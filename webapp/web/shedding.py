"""Under more load than can be borne: a bounded number of requests at work, a short queue, and 503 for the rest.

Questions have a gate of their own, narrower than that of the pages, so that reading an answer doesn't wait behind
them. Who has waited too long is turned away as well: a late answer helps nobody, and costs as much as one in time.
Where nobody waited a moment ago, that is a stall which passes, and is waited out. Who is inside and waits for what
another is working out, stands aside: that is waiting, and no work.

How long to wait by whether the queue was empty of late is after Maurer, Fail at Scale (ACM Queue 13:8, 2015).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flask import Flask, Response, current_app, request
from flask_babel import lazy_gettext as _

from webapp.services.aside import standing_aside
from webapp.settings import Settings
from webapp.web.errors import RETRY_SECONDS, Wording, request_id, say
from webapp.web.htmx import is_htmx
from webapp.web.i18n import current_language
from webapp.web.metrics import metrics
from webapp.web.security import csp_nonce

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

ASKING = ("ask.ask", "api.ask", "stages.show")
CALM_SECONDS = 1.0  # how long after there was no queue it is still a stall
STALL = 4  # times as long as else it may take then
SPARE_THREADS = 4  # to turn requests away, and for what passes by the gates
WORDING = Wording(_("Very busy"), _("More has been asked than we can answer now. Please try again in a few seconds."))
_FREE = {"/healthz", "/readyz", "/metrics"}  # cheap, and wanted most when there is trouble
_FILES = "/static/"  # cheap as well
_REFUSED = "evidencedesk.refused"


@dataclass
class Gate:
    """Lets `at_once` through at a time; `room` more wait for their turn, at most so many seconds, and STALL times as
    many when there was no queue of late."""

    at_once: int
    room: int
    seconds: float
    told: Callable[[int], object] = int  # hears how many wait, whenever that changes
    _waiting: int = 0
    _aside: int = 0  # of them: for something else than a place
    _calm_at: float = 0.0  # by the monotonic clock: when nobody waited for a place
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._places = threading.Semaphore(self.at_once)

    def enter(self) -> bool:
        """Go in, after a wait if need be, and return whether that was possible; then `leave` must follow."""
        return self._places.acquire(blocking=False) or self._wait()

    def leave(self) -> None:
        """Make room for the next."""
        self._places.release()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Give the place to the next one while who has it waits for something, as far as there is room to wait; come
        back in when that is over, however long it takes."""
        if not self._queue(1, aside=1):
            yield
            return
        self._places.release()
        try:
            yield
        finally:
            self._places.acquire()
            self._queue(-1, aside=-1)

    def _wait(self) -> bool:
        if not self._queue(1):
            return False
        try:
            return self._places.acquire(timeout=self._patience())
        finally:
            self._queue(-1)

    def _patience(self) -> float:
        return self.seconds * (STALL if time.monotonic() - self._calm_at < CALM_SECONDS else 1)

    def _queue(self, more: int, aside: int = 0) -> bool:
        with self._lock:
            if self._waiting == self._aside:
                self._calm_at = time.monotonic()
            if self._waiting + more > self.room:
                return False
            self._waiting += more
            self._aside += aside
            self.told(self._waiting)
            return True


def init_shedding(app: Flask, settings: Settings) -> None:
    """Put the gates before the application; what they refuse is said by a page of ours, after the look at keys."""
    app.wsgi_app = _Gates(app, settings)  # type: ignore[method-assign]
    app.before_request(_turn_away)


def threads_needed(settings: Settings) -> int:
    """Return how many threads a server needs so that one is always free to turn a request away."""
    return _askings(settings) + settings.threads + 2 * settings.queue + SPARE_THREADS


def _askings(settings: Settings) -> int:
    return max(1, settings.threads * 3 // 4)


class _Gates:
    """A request keeps its place until its reply is sent, also one that is sent in pieces."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._inner: WSGIApplication = app.wsgi_app
        self._paths = {rule.rule for rule in app.url_map.iter_rules() if rule.endpoint in ASKING}
        figures = app.extensions["evidencedesk.metrics"]
        self._gates = {
            name: Gate(at_once, settings.queue, settings.queue_seconds, figures.queue.labels(name).set)
            for name, at_once in (("questions", _askings(settings)), ("pages", settings.threads))
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request, or have it refused."""
        path = environ.get("PATH_INFO", "").rstrip("/") or "/"
        if path in _FREE or path.startswith(_FILES):
            return self._inner(environ, start_response)
        asks = environ["REQUEST_METHOD"] == "POST" and path in self._paths
        gate = self._gates[name := "questions" if asks else "pages"]
        if not gate.enter():
            environ[_REFUSED] = name
            return self._inner(environ, start_response)
        try:
            with standing_aside(gate.aside):
                return _Reply(self._inner(environ, start_response), gate.leave)
        except BaseException:
            gate.leave()
            raise


class _Reply:
    """A reply on its way; its place is given back when all of it is sent, or nobody wants the rest."""

    def __init__(self, reply: Iterable[bytes], leave: Callable[[], None]) -> None:
        self._reply = reply
        self._leave = [leave]

    def __iter__(self) -> Iterator[bytes]:
        yield from self._reply
        self._left()

    def close(self) -> None:
        """Be done with it, sent or not."""
        try:
            if close := getattr(self._reply, "close", None):
                close()
        finally:
            self._left()

    def __del__(self) -> None:
        """Be done with one that nobody has sent or closed."""
        self._left()

    def _left(self) -> None:
        if self._leave:
            self._leave.pop()()


def _turn_away() -> Response | None:
    gate = request.environ.get(_REFUSED)
    if gate is None:
        return None
    metrics().turned_away.labels(gate).inc()
    response = say(503, WORDING, None) if request.path.startswith("/api/") else _page()
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _page() -> Response:
    """The page is made once for each language: refusing must cost next to nothing. Its number and its scripts' nonce
    are the request's own."""
    made = current_app.extensions.setdefault("evidencedesk.busy", {})
    kind = current_language(), is_htmx()
    if kind not in made:
        made[kind] = _made(*kind)
    html, number, nonce = made[kind]
    response = Response(html.replace(number, request_id()).replace(nonce, csp_nonce()), 503)
    response.vary.add("HX-Request")
    return response


def _made(language: str, fragment: bool) -> tuple[str, str, str]:
    """Return the page as somebody gets it who comes to the front page, the number on it, and its scripts' nonce."""
    headers = {"Accept-Language": language} | ({"HX-Request": "true"} if fragment else {})
    with current_app.test_request_context("/", headers=headers):
        return say(503, WORDING, None).get_data(as_text=True), request_id(), csp_nonce()
