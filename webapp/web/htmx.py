"""One view serves the page and, for htmx, the block of it that changes."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template, request
from jinja2_fragments.flask import render_block

from webapp.web.printable import printable


def is_htmx() -> bool:
    """Tell whether htmx asks for a fragment; when it restores history it needs the whole page."""
    return "HX-Request" in request.headers and "HX-History-Restore-Request" not in request.headers


def page(template: str, block: str, **values: Any) -> Response:
    """Render the template, or that block of it for htmx; whatever people and files put into it, HTML can hold it."""
    html = render_block(template, block, **values) if is_htmx() else render_template(template, **values)
    response = make_response(printable(html))
    response.vary.add("HX-Request")
    return response
