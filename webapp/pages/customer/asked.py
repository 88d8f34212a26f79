"""What was asked from this browser or account: looked at again, and erased for good."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.services.history import Search
from webapp.web.access import current_account, current_reader
from webapp.web.asker import asker
from webapp.web.context import services
from webapp.web.htmx import page
from webapp.web.i18n import gettext

blueprint = Blueprint("asked", __name__)

NEWEST = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of the reader's."""

    question: str
    lang: str
    url: str
    at: datetime
    outcome: str


@blueprint.get("/asked")
def show() -> Response:
    """List the newest questions, and offer to erase all."""
    who = asker()
    count = services().history.count_asked_by(who) if who else 0
    return page(
        "customer/asked.html",
        "content",
        questions=_newest(who) if who else [],
        count=count,
        account=current_account() is not None,
        erased="erased" in request.args,
    )


@blueprint.post("/asked")
def erase() -> BaseResponse:
    """Erase all that was asked from here, and every vote."""
    who = asker()
    if who:
        services().history.erase_all_of(who)
    return redirect(url_for("asked.show", erased=1), 303)


def _newest(who: str) -> list[Asked]:
    """Only answers that still open are listed; erasing erases the others as well."""
    found = services().history.page(Search(asker=who), current_reader(), size=NEWEST).found
    return [
        Asked(
            one.answer.question,
            one.answer.lang,
            url_for("answer.show", answer_id=one.answer.id),
            one.answer.created_at,
            gettext("no answer") if one.answer.abstained else gettext("answered"),
        )
        for one in found
    ]
