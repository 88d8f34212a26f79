"""For machines that watch over this one: alive, ready, figures."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from flask.typing import ResponseReturnValue

from webapp.web.context import services
from webapp.web.metrics import CONTENT_TYPE, metrics

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> ResponseReturnValue:
    """The process answers."""
    return jsonify(status="ok")


@blueprint.get("/readyz")
def readyz() -> ResponseReturnValue:
    """The database answers, and every collection has an index that is not older than its files."""
    problems = services().problems()
    return jsonify(status="not ready" if problems else "ready", problems=problems), 503 if problems else 200


@blueprint.get("/metrics")
def figures() -> ResponseReturnValue:
    """Counters in Prometheus' text format."""
    return Response(metrics().text(), content_type=CONTENT_TYPE)
