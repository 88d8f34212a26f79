"""The answers that are looked for, all of them, as a file: sent while it is made, however long it gets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Blueprint, Response, request, stream_with_context

from webapp.pages.agent.history_form import read_search
from webapp.store.finding import Found
from webapp.web.access import current_reader
from webapp.web.context import services

blueprint = Blueprint("history_export", __name__)

COLUMNS = (
    *("id", "created_at", "collection", "lang", "question", "outcome", "answer", "sources"),
    *("confidence", "index_version", "model", "up", "down"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # what makes a cell a formula in spreadsheets
_BOM = "\ufeff"  # without it Excel takes Bangla for something else


@blueprint.get("/agent/answers.csv")
def csv_file() -> Response:
    """Send one row an answer."""
    return _sent(_csv(_found()), "text/csv", "answers.csv")


@blueprint.get("/agent/answers.jsonl")
def lines_file() -> Response:
    """Send one JSON object an answer."""
    return _sent(
        (json.dumps(_object(one), ensure_ascii=False) + "\n" for one in _found()), "application/jsonl", "answers.jsonl"
    )


def guarded(cell: object) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    text = str(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _found() -> Iterator[Found]:
    return services().history.all(read_search(request.args), current_reader())


def _sent(parts: Iterator[str], kind: str, name: str) -> Response:
    response = Response(stream_with_context(parts), mimetype=kind)
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _csv(found: Iterable[Found]) -> Iterator[str]:
    yield _BOM + _line(COLUMNS)
    for one in found:
        values = _object(one)
        sources = "; ".join(
            f"{source['title']}, {source['label']} [{source['chunk_id']}]" for source in values["sources"]
        )
        yield _line(values[name] if name != "sources" else sources for name in COLUMNS)


def _line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow("" if cell is None else guarded(cell) for cell in cells)
    return line.getvalue()


def _object(one: Found) -> dict[str, Any]:
    """What is told of an answer outside this program: nothing of pages that it does not cite."""
    answer = one.answer
    same = ("id", "collection", "lang", "question", "answer", "confidence", "index_version", "model")
    told = ("document_id", "chunk_id", "title", "version", "label", "first_line", "last_line")
    return {
        **{name: getattr(answer, name) for name in same},
        "created_at": answer.created_at.isoformat(timespec="seconds"),
        "outcome": answer.reason.value,
        "sources": [{name: getattr(citation, name) for name in told} for citation in answer.citations],
        "up": one.up,
        "down": one.down,
    }
