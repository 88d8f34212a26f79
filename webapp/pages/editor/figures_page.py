"""The page that shows a run's figures: their words are functions, since they take the run."""

from __future__ import annotations

from typing import Any

from flask import Response

from webapp.pages.editor.evaluation_view import columns, counts_words, limits_words, lines
from webapp.pages.editor.shares import WHISKER_WIDTH
from webapp.services.desk import Desk
from webapp.web.desk_page import desk_page


def figures_page(template: str, desk: Desk, **values: Any) -> Response:
    """Render a page of a desk's collection on which figures of runs stand."""
    return desk_page(
        template,
        desk,
        columns=columns,
        lines=lines,
        counts_words=counts_words,
        limits_words=limits_words,
        whisker_width=WHISKER_WIDTH,
        **values,
    )
