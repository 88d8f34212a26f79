"""Two versions of a document side by side: of one page then and now, or of pages that replaced each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, abort, request

from webapp.core.documents.differences import compare_texts
from webapp.core.documents.versions import version_key
from webapp.pages.agent.diff_view import Difference, view_difference
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.box import open_desk
from webapp.pages.customer.wording import status_words
from webapp.services.desk import Desk
from webapp.services.editions import COPY, NOW, Edition, Editions
from webapp.web.access import current_reader
from webapp.web.context import home_url, services, title
from webapp.web.htmx import page
from webapp.web.i18n import datetime, gettext, number

blueprint = Blueprint("agent_diff", __name__)


@dataclass(frozen=True, slots=True)
class Shown:
    """An edition as the page names it. `url`: its source page; "" when only this page shows it."""

    edition: Edition
    name: str
    url: str


@blueprint.get("/agent/diff")
def show() -> Response:
    """Compare two editions of a document that this reader may see."""
    desk = open_desk(request.args.get("collection"))
    document_id = request.args.get("document", "")
    editions = Editions(desk, services().store, document_id, current_reader())
    listed = editions.all()
    chosen = [
        _chosen(editions, name) or last for name, last in zip(("one", "other"), _last_change(listed), strict=True)
    ]
    one, other = chosen
    if one is None or other is None:
        abort(404)
    return page(
        "agent/diff.html",
        "content",
        document_id=document_id,
        collection=desk.name,
        one=_shown(desk, one),
        other=_shown(desk, other),
        choices=_choices(desk, listed, chosen),
        alone=len(listed) < 2 and one.key == other.key,
        difference=_difference(one, other),
        site_title=title(desk.config),
        home_url=home_url(desk.name),
    )


def _chosen(editions: Editions, name: str) -> Edition | None:
    """Return the edition that is asked for, None when none is; one that there is not ends the request."""
    key = request.args.get(name)
    found = editions.get(key) if key else None
    if key and found is None:
        abort(404)
    return found


def _last_change(listed: Sequence[Edition]) -> tuple[Edition | None, Edition | None]:
    """Return the page as it is and the state before; of pages that replaced each other, the older one first."""
    if not listed:
        return None, None
    now, before = listed[0], listed[min(1, len(listed) - 1)]
    newer = before.document_id != now.document_id and version_key(before.version) > version_key(now.version)
    return (now, before) if newer else (before, now)


def _difference(one: Edition, other: Edition) -> Difference:
    return view_difference(compare_texts(one.text, other.text))


def _choices(desk: Desk, listed: Sequence[Edition], chosen: Sequence[Edition | None]) -> list[tuple[str, str]]:
    """The editions to choose from; one that was asked for may be the same as another in the list."""
    known = {edition.key: edition for edition in (*listed, *filter(None, chosen))}
    return [(key, _shown(desk, edition).name) for key, edition in known.items()]


def _shown(desk: Desk, edition: Edition) -> Shown:
    version = gettext("version %(version)s", version=number(edition.version)) if edition.version else edition.title
    parts = [version, status_words(edition.status), _where(edition)]
    if edition.served and edition.key != NOW:
        parts.append(edition.document_id)
    return Shown(edition, ", ".join(part for part in parts if part), _url(desk, edition))


def _where(edition: Edition) -> str:
    if edition.served or edition.since is None:
        return gettext("as it is now") if edition.served else ""
    if edition.key.startswith(COPY):
        return gettext("as cited on %(date)s", date=datetime(edition.since))
    return gettext("as indexed on %(date)s", date=datetime(edition.since))


def _url(desk: Desk, edition: Edition) -> str:
    if edition.served:
        return source_url(desk.name, edition.document_id)
    if edition.key.startswith(COPY):
        return source_url(desk.name, edition.document_id, at=edition.key.removeprefix(COPY))
    return ""
