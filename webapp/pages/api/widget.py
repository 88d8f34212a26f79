"""The question box for other sites' pages: one script, with its words in every language of the interface."""

from __future__ import annotations

import json
from pathlib import Path

from flask import Blueprint, Response, current_app, request
from flask_babel import force_locale, gettext

blueprint = Blueprint("widget", __name__)


@blueprint.get("/widget.js")
def script() -> Response:
    """Return the script, with its words before it."""
    languages: tuple[str, ...] = current_app.config["LANGUAGES"]
    words = json.dumps({lang: _words(lang) for lang in languages}, ensure_ascii=False)
    folder = Path(current_app.static_folder or "")
    text = (folder / "widget.js").read_text(encoding="utf-8").replace("__WORDS__", words)
    response = Response(text, mimetype="text/javascript")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = "public, max-age=300"
    response.add_etag()
    response.make_conditional(request)
    return response


def _words(lang: str) -> dict[str, str]:
    with force_locale(lang):
        return _in_language()


def _in_language() -> dict[str, str]:
    """What the script says: `looking` and the rest stand in static/widget.js."""
    return {
        "open": gettext("Help"),
        "title": gettext("Ask our documents"),
        "close": gettext("Close"),
        "label": gettext("Your question"),
        "ask": gettext("Ask"),
        "looking": gettext("Looking through our pages…"),
        "checking": gettext("Checking the sources…"),
        "ready": gettext("Answer ready"),
        "none": gettext("No answer: %(reason)s", reason="{reason}"),
        "because": gettext("Why: %(reason)s", reason="{reason}"),
        "person": gettext("Ask a person"),
        "nearest": gettext("Nearest pages"),
        "source": gettext("Source"),
        "sources": gettext("Sources"),
        "line": gettext("line %(line)s", line="{first}"),
        "lines": gettext("lines %(first)s-%(last)s", first="{first}", last="{last}"),
        "whole": gettext("Open this answer with its sources"),
        "why": gettext("Open this in a window of its own"),
        "up": gettext("Helpful"),
        "down": gettext("Not helpful"),
        "thanks": gettext("Thank you"),
        "empty": gettext("Please type a question."),
        "nowords": gettext("Please ask in words: there is no letter or digit in what you typed."),
        "busy": gettext("Too many questions at the moment. Please try again in a minute."),
        "spent": gettext("No more questions can be asked from this page today. Please come back tomorrow."),
        "refused": gettext("This box is not set up for this page."),
        "failed": gettext("The question could not be sent. Please check the connection and try again."),
    }
