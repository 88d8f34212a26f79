"""The staff's front door: what there is for them, each with a line that says what it is for."""

from __future__ import annotations

from flask import Blueprint, render_template

blueprint = Blueprint("staff", __name__)


@blueprint.get("/admin/")
def home() -> str:
    """List the editors' pages."""
    return render_template("editor/home.html")
