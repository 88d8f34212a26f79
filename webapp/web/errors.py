"""What readers see when something goes wrong: one page for all of it, in their language, with an id to quote."""

from __future__ import annotations

import errno
import logging
import secrets
from dataclasses import dataclass, replace
from http import HTTPStatus

from flask import Flask, Response, g, jsonify, request
from flask_babel import lazy_gettext as _
from flask_babel.speaklater import LazyString
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DatabaseError as DatabaseFailure
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from webapp.core.documents.config import CollectionError
from webapp.core.registry import PartUnavailable
from webapp.core.retrieval.engine import IndexProblem
from webapp.store.database import DatabaseError, is_closed_or_full
from webapp.store.server import passing
from webapp.web.context import services
from webapp.web.htmx import page
from webapp.web.i18n import current_language, number

log = logging.getLogger(__name__)

_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}
RETRY_SECONDS = 5  # until what is not ready may be: another server has taken the place of one that failed


@dataclass(frozen=True, slots=True)
class Wording:
    """What an error page says; `again` when trying again can help."""

    title: LazyString
    text: LazyString
    again: bool = False


WORDINGS = {
    400: Wording(_("This could not be read"), _("Something in the address or the form was not as expected.")),
    401: Wording(_("Please sign in"), _("This needs an account.")),
    403: Wording(_("Not for this account"), _("Your account may not open this page. Ask an administrator.")),
    404: Wording(_("Page not found"), _("There is no page at this address, or it is not open to you.")),
    405: Wording(_("Not possible here"), _("This address does not take that kind of request.")),
    410: Wording(_("No longer here"), _("This was here once, and has been removed.")),
    413: Wording(_("Too large"), _("What you sent is larger than allowed. Please shorten it.")),
    415: Wording(_("Not understood"), _("This address takes JSON: send it with Content-Type application/json.")),
    429: Wording(_("Too many requests"), _("Please wait a minute, then try again."), again=True),
    500: Wording(_("Something went wrong"), _("The mistake is ours and has been noted. Please try again."), again=True),
    503: Wording(_("Not ready"), _("The service is starting or busy. Please try again in a moment."), again=True),
}
NOT_KEPT = Wording(
    _("This could not be kept"),
    _("Nothing can be written at the moment, so nothing has changed; pages can be read. Please try again later."),
    again=True,
)
FORM_EXPIRED = Wording(_("The form has expired"), _("Go back, load the page again, and send it once more."), again=True)


def init_errors(app: Flask) -> None:
    """Answer every error with our own page, or with JSON where programs ask."""
    app.jinja_env.globals.update(request_id=request_id)
    app.register_error_handler(HTTPException, _known)
    app.register_error_handler(Exception, _unknown)
    app.register_error_handler(OSError, _file_failed)
    for not_yet in (CollectionError, IndexProblem, PartUnavailable, DatabaseError):
        app.register_error_handler(not_yet, _not_ready)
    app.register_error_handler(SQLAlchemyError, _database_failed)
    app.after_request(_name)


def request_id() -> str:
    """Return the id of this request: it stands in the log and on the error page."""
    if "request_id" not in g:
        g.request_id = secrets.token_hex(6)
    return str(g.request_id)


def _known(error: HTTPException) -> Response:
    if error.response is not None:  # raised by abort(response) or as a redirect of the router
        return error.get_response()  # type: ignore[return-value]
    code = error.code or 500
    if isinstance(error, RequestEntityTooLarge):
        return say(code, _too_large(), None)
    wording = FORM_EXPIRED if isinstance(error, CSRFError) else WORDINGS.get(code, WORDINGS[400 if code < 500 else 500])
    response = say(code, wording, error.description)
    response.headers.extend((name, value) for name, value in error.get_headers() if name != "Content-Type")
    return response


def _too_large() -> Wording:
    """Name the limit: what is read at most of a body, and at most what a page may have."""
    limit = min(request.max_content_length or 0, services().settings.upload_max_bytes)
    text = _("At most %(count)s bytes can be sent here. Please shorten it.", count=number(limit))
    return replace(WORDINGS[413], text=text)


def _unknown(error: Exception) -> Response:
    log.error("request %s failed", request_id(), exc_info=error)
    return say(500, WORDINGS[500], None)


def _database_failed(error: Exception) -> Response:
    """A damaged database is the kind itself; what is neither that nor goes by is a mistake of ours."""
    if is_closed_or_full(error):
        return _not_ready(error, NOT_KEPT)
    return _not_ready(error) if passing(error) or type(error) is DatabaseFailure else _unknown(error)


def _file_failed(error: OSError) -> Response:
    return _not_ready(error, NOT_KEPT) if error.errno in _UNWRITABLE else _unknown(error)


def _not_ready(error: Exception, wording: Wording = WORDINGS[503]) -> Response:
    log.error("request %s could not be served: %s", request_id(), error)
    response = say(503, wording, None)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def say(code: int, wording: Wording, detail: str | None) -> Response:
    """Return what is said of an error: a page, or JSON where programs ask."""
    if request.path.startswith("/api/"):
        error = {"error": HTTPStatus(code).name.lower(), "message": str(wording.text), "request_id": request_id()}
        if detail:  # in English: in place of the general words for whoever reads it, beside them for others
            error["message" if current_language() == "en" else "detail"] = detail
        response = jsonify(error)
    else:
        response = page("error.html", "content", wording=wording, code=code)
    response.status_code = code
    return response


def _name(response: Response) -> Response:
    response.headers["X-Request-Id"] = request_id()
    return response
