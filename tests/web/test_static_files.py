from __future__ import annotations

import gzip
import re

from tests.client import Client


def address(client: Client) -> str:
    found = re.search(r'href="(/static/app\.css\?v=[0-9a-f]{12})"', client.get("/").text)
    assert found
    return found[1]


def test_files_are_named_by_content_and_kept(client: Client) -> None:
    response = client.get(address(client))
    assert response.status_code == 200
    assert "max-age=31536000" in response.headers["Cache-Control"]
    assert "immutable" in response.headers["Cache-Control"]


def test_without_its_version_a_file_is_asked_for_again(client: Client) -> None:
    assert "max-age=31536000" not in client.get("/static/app.css").headers.get("Cache-Control", "")


def test_text_is_compressed_for_those_who_can_read_it(client: Client) -> None:
    plain = client.get("/static/app.css")
    packed = client.get("/static/app.css", headers={"Accept-Encoding": "gzip, br"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) == int(packed.headers["Content-Length"]) < len(plain.data)
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_pages_are_not_compressed(client: Client) -> None:
    assert "Content-Encoding" not in client.get("/", headers={"Accept-Encoding": "gzip"}).headers


def test_no_session_is_begun_for_a_file(client: Client) -> None:
    assert "Set-Cookie" not in client.get("/static/app.css").headers


def test_nothing_outside_the_folder_is_served(client: Client) -> None:
    for path in ("/static/../pyproject.toml", "/static/%2e%2e/pyproject.toml", "/static/"):
        assert client.get(path).status_code == 404
