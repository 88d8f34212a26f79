"""Keys of the API: who has one, what it opens, a new one (shown once), and the end of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask_babel import lazy_gettext as _
from flask_babel.speaklater import LazyString
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.origins import BadOrigin
from webapp.services.keys import NewKey, Scope
from webapp.store.keys import ApiKey
from webapp.web.access import current_account
from webapp.web.context import collection_titles, services
from webapp.web.htmx import page
from webapp.web.i18n import gettext

blueprint = Blueprint("keys", __name__)

SCOPE_WORDS = {Scope.ASK: _("Ask questions"), Scope.FEEDBACK: _("Vote on answers")}
_PROBLEMS = {
    "name": _("Give a name of at most 100 characters, by which you will know the key."),
    "scopes": _("Choose at least one."),
    "per_minute": _("Give a whole number from 1 to 10,000."),
    "per_day": _("Give a whole number from 1 to 10,000,000."),
}


@dataclass(frozen=True, slots=True)
class Form:
    """What stands in the form, as it was typed."""

    name: str = ""
    scopes: tuple[str, ...] = tuple(Scope)
    collection: str = ""
    origins: str = ""
    per_minute: str = "30"
    per_day: str = "1000"


@blueprint.get("/admin/keys")
def show() -> Response:
    """List the keys, and offer to make one."""
    return _page(Form())


@blueprint.post("/admin/keys")
def make() -> Response:
    """Make a key and show it, this once."""
    form = _typed()
    try:
        secret, key = services().keys.make(_wanted(form), author())
    except ValidationError as error:
        return _page(form, {name: _PROBLEMS[name] for name in _wrong(error)})
    except BadOrigin as error:
        words = gettext(
            "“%(origin)s” is no origin. Write one like https://shop.example, a line each.", origin=error.origin
        )
        return _page(form, {"origins": words})
    return _page(Form(), made=(secret, key))


@blueprint.post("/admin/keys/<key_id>/revoke")
def revoke(key_id: str) -> BaseResponse:
    """End a key."""
    if not services().keys.revoke(key_id):
        abort(404)
    return redirect(url_for("keys.show"), 303)


def author() -> str:
    """Return the address of whoever is signed in."""
    account = current_account()
    return account.email if account else ""


def _typed() -> Form:
    plain = {name: request.form.get(name, "").strip() for name in ("name", "collection", "per_minute", "per_day")}
    return Form(**plain, scopes=tuple(request.form.getlist("scopes")), origins=request.form.get("origins", ""))


def _wanted(form: Form) -> NewKey:
    """Raises ValidationError."""
    known = {card.name for card in services().collections()}
    return NewKey.model_validate(
        {
            "name": form.name,
            "scopes": form.scopes,
            "collection": form.collection if form.collection in known else None,
            "origins": form.origins.split(),
            "per_minute": form.per_minute,
            "per_day": form.per_day,
        }
    )


def _wrong(error: ValidationError) -> Iterable[str]:
    return {str(one["loc"][0]) for one in error.errors()}


def _line_for_pages(secret: str, key: ApiKey) -> str:
    named = {"src": url_for("widget.script", _external=True), "data-key": secret, "data-collection": key.collection}
    attributes = " ".join(f'{name}="{value}"' for name, value in named.items() if value)
    return f"<script {attributes} defer></script>"


def _page(
    form: Form, errors: dict[str, LazyString | str] | None = None, made: tuple[str, ApiKey] | None = None
) -> Response:
    keys = services().keys
    response = page(
        "editor/keys.html",
        "content",
        form=form,
        errors=errors or {},
        made=made,
        line=_line_for_pages(*made) if made else "",
        keys=keys.all(),
        used=keys.used_today(),
        scope_words=SCOPE_WORDS,
        collections=collection_titles(),
    )
    response.status_code = 422 if errors else 200
    return response
