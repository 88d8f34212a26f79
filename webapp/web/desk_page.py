"""The page of a collection: what all of them hand to their templates."""

from __future__ import annotations

from typing import Any

from flask import Response

from webapp.services.desk import Desk
from webapp.web.context import collection_titles, home_url, title
from webapp.web.htmx import page


def desk_page(template: str, desk: Desk, block: str = "content", **values: Any) -> Response:
    """Render a page about a desk's collection, with the way to the same page of the others."""
    return page(
        template,
        block,
        collection=desk.name,
        collections=collection_titles(),
        site_title=title(desk.config),
        home_url=home_url(desk.name),
        **values,
    )
