"""Logs for machines: one JSON object a line, with the id of the request that stands on its page and in its headers."""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime

from flask import Flask, Response, g, has_request_context, request

from webapp.web.errors import request_id
from webapp.web.printable import printable_json

log = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON; what an error's traceback says is in it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if has_request_context():
            line["request"] = request_id()
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return printable_json(json.dumps(line | getattr(record, "fields", {}), ensure_ascii=False))


def init_request_log(app: Flask) -> None:
    """Log each request: by the name of its page, since addresses may hold what people look for."""
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    g.began = time.perf_counter()


def _end(response: Response) -> Response:
    spent = 1000 * (time.perf_counter() - g.get("began", time.perf_counter()))
    fields = {"page": request.endpoint, "status": response.status_code, "milliseconds": round(spent, 1)}
    log.info("%s %s", request.method, request.endpoint, extra={"fields": fields})
    return response
