"""What the pages of one draft show: its state, what was found in it, how the file has changed meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort

from webapp.core.documents.differences import compare_texts
from webapp.core.documents.model import Document
from webapp.pages.agent.diff_view import Difference, view_difference
from webapp.pages.editor.draft_words import Shown, shown
from webapp.services.desk import Desk
from webapp.services.drafts import as_file, read_page, sha256, text_of
from webapp.services.lint import lint_draft
from webapp.services.model import UnknownCollection
from webapp.store.accounts import Account
from webapp.store.drafts import Draft
from webapp.web.access import current_account, current_reader
from webapp.web.context import services

MOST_DIFFERENT = 200  # changed lines shown of a difference


@dataclass(frozen=True, slots=True)
class DraftView:
    """One draft as its pages show it."""

    draft: Draft
    title: str
    lang: str
    document: Document | None
    findings: tuple[Shown, ...]
    is_new: bool  # there is no file at its path yet
    changed: bool  # the file is no longer the one that the draft began from
    same: bool  # publishing it would change nothing
    difference: Difference | None  # from the file as it is to the draft

    @property
    def stops(self) -> bool:
        """Tell whether it can't be published as it is."""
        return any(one.stops for one in self.findings)


def me() -> Account:
    """Return who is signed in, or end the request."""
    return current_account() or abort(403)


def own_draft(draft_id: str) -> tuple[Desk, Draft]:
    """Return one of the reader's own drafts with its desk, or end the request with 404."""
    draft = services().drafts.get(draft_id, me())
    if draft is None:
        abort(404)
    try:
        return services().desk(draft.collection), draft
    except UnknownCollection:
        abort(404)


def view_draft(desk: Desk, draft: Draft) -> DraftView:
    """Look a draft over as it is kept."""
    now = read_page(desk.folder, draft.path)
    data = as_file(draft.text, now)
    linted = lint_draft(desk, data, draft.path, current_reader())
    document = linted.document
    return DraftView(
        draft=draft,
        title=document.title if document else draft.path,
        lang=document.lang if document else desk.config.languages[0],
        document=document,
        findings=tuple(shown(one, desk.name) for one in linted.findings),
        is_new=now is None,
        changed=(sha256(now) if now is not None else None) != draft.base,
        same=now == data,
        difference=None if now is None or now == data else difference(text_of(now), draft.text),
    )


def difference(old: str, new: str) -> Difference:
    """Return what differs from one text to another, of much the beginning."""
    return view_difference(compare_texts(old, new), most=MOST_DIFFERENT)
