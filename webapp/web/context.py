"""What a request works with: the services, and what every template may use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from flask import Flask, current_app, request, url_for

from webapp.core.documents.config import CollectionConfig, CollectionError
from webapp.services.desk import Desk
from webapp.services.model import UnknownCollection
from webapp.services.moment import one_moment
from webapp.services.root import Services
from webapp.web.i18n import current_language

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_EXTENSION = "evidencedesk"


def init_context(app: Flask, services: Services) -> None:
    """Hand the services to the requests, and the name of the collection to the templates."""
    app.extensions[_EXTENSION] = services
    app.context_processor(_site)
    app.wsgi_app = _Moments(app.wsgi_app)  # type: ignore[method-assign]


class _Moments:
    """Every request sees one state of each collection from first to last."""

    def __init__(self, inner: WSGIApplication) -> None:
        self._inner = inner

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request."""
        with one_moment():
            return self._inner(environ, start_response)


def services() -> Services:
    """Return the services of this application."""
    return services_of(current_app)


def services_of(app: Flask) -> Services:
    """Return the services of an application."""
    return cast(Services, app.extensions[_EXTENSION])


def _site() -> dict[str, str]:
    """`site_title` and `home_url` of the collection the address names, else of the default one."""
    name = (request.view_args or {}).get("collection") if request else None
    try:
        desk = services().desk(name)
    except UnknownCollection:
        desk = services().desk()
    return {"site_title": _title_or_name(desk), "home_url": home_url(desk.name)}


def _title_or_name(desk: Desk) -> str:
    """The page that says that a collection's settings can't be read has to do without them."""
    try:
        return title(desk.config)
    except CollectionError:
        return desk.name


def title(config: CollectionConfig) -> str:
    """Return a collection's name in the reader's language."""
    return config.wording("title", current_language()) or config.name


def collection_titles() -> list[tuple[str, str]]:
    """Return every collection's name, and its name in the reader's language."""
    return [(card.name, title(card.config)) for card in services().collections()]


def home_url(collection: str) -> str:
    """Return the address of a collection's question box."""
    return url_for("ask.box", collection=None if collection == services().default else collection)
