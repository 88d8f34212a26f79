"""For whatever writes the documents: say that they have changed, and the index follows at once."""

from __future__ import annotations

import hmac

from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import Unauthorized

from webapp.services.model import UnknownCollection
from webapp.web.context import services
from webapp.web.security import csrf

blueprint = Blueprint("refresh", __name__, url_prefix="/api/v1")
csrf.exempt(blueprint)  # the token is what counts, and no browser sends it by itself


class Refresh(BaseModel):
    """What was asked for. The same job is named again while it waits."""

    job: str = Field(description="Its id; editors see it at /admin/jobs/<id>")
    state: str


@blueprint.post("/collections/<collection>/refresh")
def refresh(collection: str) -> ResponseReturnValue:
    """Ask for an index of the files as they are now."""
    _check_token()
    try:
        name = services().desk(collection).name
    except UnknownCollection as error:
        abort(404, str(error.args[0]))
    job = services().jobs.ask(name, "index")
    return jsonify(Refresh(job=job.id, state=job.state.value).model_dump()), 202


def _check_token() -> None:
    """Names of collections are nobody's business without it, so it comes first."""
    wanted = services().settings.refresh_token.get_secret_value()
    if not wanted:
        abort(404, "refreshing is switched off; set EVIDENCEDESK_REFRESH_TOKEN")
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), wanted.encode()):
        raise Unauthorized("send the token as: Authorization: Bearer TOKEN", www_authenticate=WWWAuthenticate("bearer"))
