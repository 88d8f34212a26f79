"""From a document and what the address asks for to what the source page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from flask import url_for
from markupsafe import Markup

from webapp.core.answering.model import Answer, Citation
from webapp.core.documents.model import Document, Span, Status
from webapp.pages.customer.addresses import citation_url, source_url
from webapp.pages.customer.wording import language_name, status_words
from webapp.services.desk import Desk
from webapp.services.model import Source
from webapp.web.access import current_reader
from webapp.web.i18n import date, gettext, number
from webapp.web.rendered import render_markdown, web_link
from webapp.web.source_view import Line, LineRange, Window, numbered_lines, parse_ranges, window, with_neighbours

VIEWS = ("text", "lines", "file")
MOST_LINES = 5000  # shown at once: a page of so many is 1 MB, and takes a fifth of a second to make
BEFORE = 500  # of them, before the first cited one


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for beside the document; whatever can't be read counts as not given."""

    view: str
    lines: str
    answer_id: str | None
    marker: int | None
    snapshot: str | None
    first: int | None = None  # of the lines to be shown of a long file

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Asked:
        """Read the query part of an address."""
        view, marker, first = query.get("view", ""), query.get("n", ""), query.get("from", "")
        return cls(
            view=view if view in VIEWS else "lines",
            lines=query.get("lines", ""),
            answer_id=query.get("answer") or None,
            marker=int(marker) if marker.isdecimal() and len(marker) < 5 else None,
            snapshot=query.get("at") or None,
            first=int(first) if first.isdecimal() and len(first) < 10 else None,
        )

    def with_view(self, view: str) -> dict[str, str | int | None]:
        """Return the same query with another view."""
        return {
            "lines": self.lines or None,
            "answer": self.answer_id,
            "n": self.marker,
            "at": self.snapshot,
            "view": None if view == "lines" else view,
        }


@dataclass(frozen=True, slots=True)
class Banner:
    """Something a reader must know about the document, and where to go on."""

    words: str
    url: str = ""
    link: str = ""
    kind: str = "warning"  # or "info", of a notice


@dataclass(frozen=True, slots=True)
class Trail:
    """The way back to the answer and on to its other citations; number 0: none of them was asked for."""

    back: str
    count: int
    number: int = 0
    previous: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class SourceView:
    """All that the source page shows."""

    title: str
    lang: str
    view: str
    views: tuple[tuple[str, str, str], ...]  # name, words, address
    state: tuple[str, ...]
    banners: tuple[Banner, ...]
    trail: Trail | None
    closed: bool
    body_line: int  # the first after the front matter
    lines: tuple[tuple[Line, str, str], ...] = ()  # with its number in the reader's digits, and its name
    shown: Window | None = None  # of a file that is too long for one page; None: all of it
    earlier: str = ""  # addresses of the lines before and after, "" where there are none
    later: str = ""
    digits: int = 3  # of the highest line number
    rendered: str = ""


def view_source(desk: Desk, source: Source, asked: Asked) -> SourceView:
    """Prepare a document for the current reader."""
    document, text = source.document, source.document.text
    cited, quoted = _highlights(source, asked) if not source.closed else ((), ())
    as_text = asked.view == "text" and not source.closed
    as_lines = not as_text and not source.closed
    shown = _window(document, asked, cited) if as_lines else None
    return SourceView(
        title=document.title,
        lang=document.lang,
        view=asked.view,
        views=tuple(_views(desk, document, asked)),
        state=tuple(_state(source)),
        banners=tuple(_banners(desk, source, asked)),
        trail=_trail(source.answer, asked) if source.answer else None,
        closed=source.closed,
        body_line=document.body_line,
        lines=_named(numbered_lines(text, cited, quoted, shown)) if as_lines else (),
        shown=shown,
        earlier=_lines_from(desk, document, asked, shown.previous if shown else None),
        later=_lines_from(desk, document, asked, shown.next if shown else None),
        digits=min(max(len(str(len(document.line_starts))), 3), 6),
        rendered=_rendered(desk, document, quoted or _spans(document, cited)) if as_text else "",
    )


def _window(document: Document, asked: Asked, cited: tuple[LineRange, ...]) -> Window | None:
    """Choose what is shown of a file that is too long for one page: the lines asked for, else those around the first
    cited one."""
    count = len(document.line_starts)
    if count <= MOST_LINES:
        return None
    return window(asked.first or min((first for first, _ in cited), default=1) - BEFORE, count, MOST_LINES)


def _lines_from(desk: Desk, document: Document, asked: Asked, line: int | None) -> str:
    return source_url(desk.name, document.id, **asked.with_view("lines"), **{"from": line}) if line else ""


def _highlights(source: Source, asked: Asked) -> tuple[tuple[LineRange, ...], tuple[Span, ...]]:
    """Return the cited lines and the quoted words.

    Nothing when nobody can tell whether this is the text that was cited: no highlight is better than a wrong one.
    """
    if asked.answer_id and source.answer is None:
        return (), ()
    text, answer = source.document.text, source.answer
    chosen = _citation(answer, asked.marker) if answer else None
    here = {one.marker for one in answer.citations if one.document_id == source.document.id} if answer else set()
    quotes = [quote for one in (answer.statements if answer else ()) for quote in one.quotes if quote.marker in here]
    marked = [Span(quote.start, quote.end) for quote in quotes if not chosen or quote.marker == chosen.marker]
    lines = asked.lines or (f"{chosen.first_line}-{chosen.last_line}" if chosen else "")
    others = [Span(quote.start, quote.end) for quote in quotes]
    return parse_ranges(lines, len(source.document.line_starts)), with_neighbours(text, marked, others)


def _spans(document: Document, cited: tuple[LineRange, ...]) -> tuple[Span, ...]:
    """Where lines begin and end in the file, for a view that has no lines."""
    starts = (*document.line_starts, len(document.text))
    return tuple(Span(starts[first - 1], starts[last]) for first, last in cited)


def _named(lines: tuple[Line, ...]) -> tuple[tuple[Line, str, str], ...]:
    """Add what each line is called. A file may have very many: digits and words are looked up once for all."""
    numbers = number("\n".join(str(line.number) for line in lines)).split("\n")
    before, _, after = gettext("Line %(number)s", number="\n").partition("\n")
    return tuple((line, shown, f"{before}{shown}{after}") for line, shown in zip(lines, numbers, strict=True))


def _citation(answer: Answer, marker: int | None) -> Citation | None:
    return next((one for one in answer.citations if one.marker == marker), None)


def _views(desk: Desk, document: Document, asked: Asked) -> Iterator[tuple[str, str, str]]:
    words = {"text": gettext("Text"), "lines": gettext("Lines"), "file": gettext("File")}
    for name in VIEWS:
        yield name, words[name], source_url(desk.name, document.id, **asked.with_view(name))


def _state(source: Source) -> Iterator[str]:
    document = source.document
    if document.version:
        yield gettext("version %(version)s", version=number(document.version))
    if source.today.status is not None:
        yield status_words(source.today.status)
    yield language_name(document.lang)
    if document.updated:
        yield gettext("changed %(date)s", date=date(document.updated))


def _banners(desk: Desk, source: Source, asked: Asked) -> Iterator[Banner]:
    today = source.today
    if source.closed:
        yield Banner(gettext("This page has been withdrawn, so its text is not shown."))
        return
    match today.status:
        case None:
            yield Banner(gettext("This page is no longer among our documents. You see it as it was."))
        case Status.SUPERSEDED if today.superseded_by:
            words = gettext("This page has been replaced.")
            link = gettext("Read “%(title)s”", title=today.superseded_by_title or today.superseded_by)
            yield Banner(words, source_url(desk.name, today.superseded_by), link)
        case Status.SUPERSEDED:
            yield Banner(gettext("This page has been replaced by a newer one."))
        case Status.ARCHIVED:
            yield Banner(gettext("This page is archived: it is kept for the record and no longer counts."))
        case Status.WITHDRAWN:
            yield Banner(gettext("This page has been withdrawn. Customers don't see its text."))
        case Status.DRAFT:
            yield Banner(gettext("This is a draft. No answer is taken from it."))
    if asked.answer_id and source.answer is None:
        yield Banner(gettext("The answer you came from is no longer kept, so the lines it cited are not marked."))
    if today.changed and today.status is not None:
        words = gettext("This page has changed since. You see it as it was when it was cited.")
        yield Banner(words, source_url(desk.name, source.document.id), gettext("Read the page as it is now"))


def _trail(answer: Answer, asked: Asked) -> Trail:
    back = url_for("answer.show", answer_id=answer.id)
    chosen = _citation(answer, asked.marker)
    if chosen is None:
        return Trail(back, len(answer.citations))
    at = answer.citations.index(chosen)
    neighbours = {index: citation_url(answer, one) for index, one in enumerate(answer.citations)}
    return Trail(
        back=f"{back}#cite-{chosen.marker}",
        count=len(answer.citations),
        number=at + 1,
        previous=neighbours.get(at - 1, ""),
        next=neighbours.get(at + 1, ""),
    )


def _rendered(desk: Desk, document: Document, quoted: tuple[Span, ...]) -> Markup:
    start = document.line_starts[document.body_line - 1] if document.body_line <= len(document.line_starts) else 0
    pages = {one.path: one.id for one in desk.documents(current_reader())}

    def resolve(address: str) -> str | None:
        target = pages.get(_relative(document.path, address))
        return source_url(desk.name, target, view="text") if target else web_link(address)

    return render_markdown(document.text, quoted, resolve, start)


def _relative(path: str, address: str) -> str:
    """Return the path inside the collection that a link in the file at `path` points to; "" when it leaves it."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or not parts.path:
        return ""
    steps: list[str] = []
    for step in (PurePosixPath(path).parent / unquote(parts.path)).parts:
        if step == "..":
            if not steps:
                return ""
            steps.pop()
        elif step != "/":
            steps.append(step)
    return "/".join(steps)
