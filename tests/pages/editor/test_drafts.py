"""Drafts: begun, written on, looked over, previewed, discarded; nobody's but their author's."""

from __future__ import annotations

import io
import re
from html import unescape
from pathlib import Path

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.retrieval.model import Role

PAGE = "/admin/drafts"
TEXT = "---\ntitle: Opening hours\nstatus: current\nlang: en\n---\n\n## Hours\nThe shop opens at nine every morning.\n"


def begun(editor: Client, text: str = TEXT, path: str = "") -> str:
    """Begin a draft; return its address."""
    response = editor.post(PAGE, {"source": "new", "text": text, "path": path})
    assert response.status_code == 303, response.text
    return response.headers["Location"]


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def test_a_draft_is_begun_from_a_page_and_is_that_page(editor: Client, site: Site) -> None:
    response = editor.post(PAGE, {"source": "page", "page": "kc-returns-v3"})
    page = editor.get(response.headers["Location"]).text
    assert "within 30 days of delivery" in page
    assert 'name="path" value="returns-policy.md"' in page
    assert "The page has changed" not in page


def test_a_draft_begun_from_nothing_gets_a_name_from_its_title(editor: Client) -> None:
    page = editor.get(begun(editor)).text
    assert 'name="path" value="opening-hours.md"' in page
    assert "Draft: Opening hours" in page


def test_an_uploaded_file_becomes_a_draft(editor: Client) -> None:
    data = {"source": "upload", "file": (io.BytesIO(b"\xef\xbb\xbf" + TEXT.encode()), "x.md")}
    page = editor.get(editor.post(PAGE, data).headers["Location"]).text
    assert "The shop opens at nine every morning." in page
    assert "\ufeff" not in page


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "There is no text."),
        (b"  \n", "There is no text."),
        (b"\x89PNG\x00\x00\x01", "This is not a text."),
        (b"a\n" * 50_001, "at most 50,000 lines"),
        (b"\xff\xfe" + "Ein Text".encode("utf-16-le") + b"\xd8", "save it as UTF-8"),
    ],
)
def test_what_can_be_no_page_is_said_by_the_field(editor: Client, data: bytes, said: str) -> None:
    response = editor.post(PAGE, {"source": "upload", "file": (io.BytesIO(data), "x.md")})
    assert response.status_code == 422
    assert said in words(response.text)


@pytest.mark.parametrize("language", ["en", "bn"])
def test_l02_the_limit_is_stated_up_front_wherever_a_page_comes_in(site: Site, language: str) -> None:
    editor = site.client(Role.EDITOR, language)
    stated = {"en": "at most 5,000,000 bytes and 50,000 lines", "bn": "৫০,০০,০০০ বাইট ও ৫০,০০০টি লাইন"}[language]
    for address in (PAGE, begun(editor), "/admin/chunking"):
        assert stated in editor.get(address).text, address


def test_l01_a_page_above_the_limit_is_refused_and_what_was_written_stays(editor: Client, site: Site) -> None:
    address, most = begun(editor), site.services.settings.upload_max_bytes
    long = "words " * (most // 6 + 1)
    response = editor.post(address, {"text": long, "path": "opening-hours.md"})
    assert response.status_code == 422
    assert "at most 5,000,000 bytes" in response.text
    assert long in response.text
    assert "The shop opens at nine" in editor.get(address).text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../outside.md", "inside the collection"),
        ("/etc/passwd.md", "inside the collection"),
        ("a/../../b.md", "inside the collection"),
        (".hidden.md", "can't be a file's name"),
        ("a\\b.md", "can't be a file's name"),
        ("page.html", "must end in .md"),
        ("returns-policy.md", "There is a page of this name"),
        ("link.md", "A link leads"),
        ("linked/page.md", "A link leads"),
        ("folder.md", "There is a folder of this name"),
        ("shipping.md/x.md", "can't be a file's name"),
    ],
)
def test_paths_that_may_not_be_written_are_said_by_the_field(
    editor: Client, site: Site, tmp_path: Path, path: str, said: str
) -> None:
    (site.folder / "link.md").symlink_to(tmp_path / "elsewhere.md")
    (site.folder / "linked").symlink_to(tmp_path)
    (site.folder / "folder.md").mkdir()
    (site.folder / "shipping.md").write_text("There.", encoding="utf-8")
    response = editor.post(PAGE, {"source": "new", "text": TEXT, "path": path})
    assert response.status_code == 422
    assert said in words(response.text)
    assert "opens at nine" in response.text


def test_what_is_written_is_kept_with_the_button_and_only_then(editor: Client) -> None:
    address = begun(editor)
    response = editor.post(address, {"text": TEXT.replace("nine", "ten"), "path": "hours/shop.md"})
    assert response.status_code == 303
    page = editor.get(response.headers["Location"]).text
    assert "Saved." in page
    assert "opens at ten" in page
    assert 'value="hours/shop.md"' in page


def test_it_is_its_authors_alone(editor: Client, site: Site) -> None:
    address = begun(editor)
    other = site.client(Role.ADMIN)
    assert "opening-hours.md" in editor.get(PAGE).text
    assert "opening-hours.md" not in other.get(PAGE).text
    for path in (address, f"{address}/preview", f"/admin/change?draft={address.rsplit('/', 1)[1]}"):
        assert other.get(path).status_code == 404
    assert other.post(address, {"text": "Mine."}).status_code == 404
    assert other.post(f"{address}/discard").status_code == 404


def test_it_is_discarded_after_a_question(editor: Client) -> None:
    address = begun(editor)
    assert "Discard this draft…" in editor.get(address).text
    response = editor.post(f"{address}/discard")
    assert "The draft was discarded." in editor.get(response.headers["Location"]).text
    assert editor.get(address).status_code == 404


def test_the_preview_is_the_source_page(editor: Client) -> None:
    address = begun(editor)
    page = editor.get(f"{address}/preview").text
    assert 'id="L8"' in page
    assert "This is how the page will look." in page
    assert "<h2>Hours</h2>" in editor.get(f"{address}/preview?view=text").text
    broken = begun(editor, "---\ntitle: never closed\n\nText.\n", "broken.md")
    instead = editor.get(f"{broken}/preview")
    assert (instead.status_code, instead.headers["Location"]) == (303, broken)


def test_what_is_found_names_the_line_and_says_what_to_do(editor: Client) -> None:
    text = TEXT.replace("status: current\n", "") + "\n[gone](nowhere.md) [up](#nothing)\n"
    page = words(editor.get(begun(editor, text)).text)
    assert "The head names no status." in page or "the document has no status" in page
    assert "Write" in page or "Mend" in page
    page = words(editor.get(begun(editor, TEXT + "\n[gone](nowhere.md) [up](#nothing)\n", "b.md")).text)
    assert "line 10 : The link to “nowhere.md” leads to no file" in page
    assert "The link to “#nothing” names a heading that is not there." in page


def test_a_page_that_has_changed_meanwhile_shows_the_difference(editor: Client, site: Site) -> None:
    address = editor.post(PAGE, {"source": "page", "page": "kc-returns-v3"}).headers["Location"]
    file = site.folder / "returns-policy.md"
    file.write_text(file.read_text(encoding="utf-8").replace("30 days", "40 days"), encoding="utf-8")
    page = editor.get(address).text
    assert "The page has changed since this draft was begun." in page
    assert "40 days" in words(page).replace("40", "40 days", 1)
    assert editor.post(address, {"seen": "1"}).status_code == 303
    assert "The page has changed since" not in editor.get(address).text


def test_hostile_text_is_shown_as_text(editor: Client) -> None:
    text = "---\ntitle: '<script>alert(1)</script>'\n---\n</textarea><img src=x onerror=alert(1)> {{ 7777*7777 }}\n"
    address = begun(editor, text, "x.md")
    for path in (address, f"{address}/preview", f"{address}/preview?view=text", f"/admin/publish?draft={address[14:]}"):
        page = editor.get(path).text
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "60481729" not in words(page)
