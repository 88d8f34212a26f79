"""Index versions: which is served, and how an older one comes back."""

from __future__ import annotations

import re

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role

PAGE = "/admin/index"


def offered(html: str) -> list[str]:
    """The versions that can be served instead."""
    return re.findall(r'name="version" value="([^"]+)"', html)


def test_it_is_for_editors(site: Site) -> None:
    assert site.client().get(PAGE).status_code == 302
    assert site.client(Role.AGENT).get(PAGE).status_code == 403
    assert site.client(Role.AGENT).post(PAGE, {"version": "x"}).status_code == 403


def test_the_version_that_is_served_is_told_apart(editor: Client, site: Site) -> None:
    page = editor.get(PAGE).text
    assert offered(page) == []
    assert "served now" in page
    assert f"<code>{site.live_version()}</code>" in page
    assert "paragraph" in page


def test_an_older_version_comes_back_with_one_press_and_goes_again(editor: Client, site: Site) -> None:
    first = site.live_version()
    site.services.desk().index("fixed", {"size": 100, "overlap": 20})
    second = site.live_version()
    assert offered(editor.get(PAGE).text) == [first]
    response = editor.post(PAGE, {"collection": "kestrel", "version": first})
    assert response.status_code == 303
    assert site.live_version() == first
    assert offered(editor.get(response.headers["Location"]).text) == [second]


def test_a_version_that_is_not_there_changes_nothing(editor: Client, site: Site) -> None:
    live = site.live_version()
    for version in ("", "nothing", "../../etc"):
        response = editor.post(PAGE, {"collection": "kestrel", "version": version})
        assert response.status_code == 422
        assert "The one before stays." in response.text
    assert site.live_version() == live


def test_files_held_back_are_named(site: Site) -> None:
    (site.folder / "broken.md").write_text("---\ntitle: never closed\n\nText.\n", encoding="utf-8")
    page = site.client(Role.EDITOR).get(PAGE).text
    assert "1 file held back" in page
    assert "<code>broken.md</code>, line 1: <span" in page


def test_it_is_in_the_readers_language(site: Site) -> None:
    assert "সূচির সংস্করণ" in site.client(Role.EDITOR, "bn").get(PAGE).text
