from __future__ import annotations

import json
import logging

import pytest

from tests.conftest import Desks
from webapp.web.logs import JsonLines, init_request_log


def test_a_line_is_one_object_with_the_error_in_it() -> None:
    try:
        raise RuntimeError("a\nb")
    except RuntimeError as error:
        record = logging.LogRecord("n", logging.ERROR, __file__, 1, "it %s", ("failed",), (type(error), error, None))
    line = JsonLines().format(record)
    assert "\n" not in line
    said = json.loads(line)
    assert (said["level"], said["logger"], said["message"]) == ("ERROR", "n", "it failed")
    assert "RuntimeError: a" in said["error"]


def test_a_request_is_logged_by_its_page_with_the_id_that_the_reader_can_give(
    desks: Desks, caplog: pytest.LogCaptureFixture
) -> None:
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(JsonLines().format(record))  # type: ignore[method-assign]
    logger = logging.getLogger("webapp.web.logs")
    init_request_log(desks.app)
    with caplog.at_level(logging.INFO, logger.name):
        logger.addHandler(handler)
        response = desks.client().get("/answers/what-somebody-looks-for")
        logger.removeHandler(handler)
    (said,) = map(json.loads, lines)
    assert said["request"] == response.headers["X-Request-Id"]
    assert (said["page"], said["status"]) == ("answer.show", 404)
    assert "looks-for" not in lines[0]
