"""Addresses of servers: which can be used at all, and which answer."""

from __future__ import annotations

import socket

import pytest
from pydantic import TypeAdapter, ValidationError

from webapp.core.remote import ServerAddress, unreachable

ADDRESS = TypeAdapter(ServerAddress)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/v1", "https://api.example.org", "http://[::1]:8080/v1", "http://models.local/v1/"]
)
def test_addresses_that_can_be_used_stay_as_they_are(url: str) -> None:
    assert ADDRESS.validate_python(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "127.0.0.1",
        "//127.0.0.1/v1",
        "ftp://models.local",
        "http://",
        "http:///v1",
        "http://host:port/v1",
        "http://host:99999/v1",
        "http://host:0/v1",
        "http://[::1/v1",
        "http://models local/v1",
        "",
    ],
)
def test_what_no_request_could_be_sent_to_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match="write it like"):
        ADDRESS.validate_python(url)


def test_a_server_that_listens_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert unreachable(f"http://127.0.0.1:{server.getsockname()[1]}/v1") == ""


def test_one_that_is_down_is_named() -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert unreachable(f"http://127.0.0.1:{port}/v1") == (
            f"the server at 127.0.0.1:{port} can't be reached (Connection refused)"
        )


def test_one_behind_a_proxy_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert unreachable("https://models.invalid/v1") == ""
