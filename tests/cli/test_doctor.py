from __future__ import annotations

import socket

import pytest

from tests.cli.conftest import Shell


def test_all_is_well_after_indexing(shell: Shell) -> None:
    shell("index")
    ran = shell("doctor", "--json")
    assert [check for check in ran.json["checks"] if not check["ok"]] == []
    assert ran.code == 0


def test_what_is_wrong_comes_with_what_to_do(shell: Shell) -> None:
    ran = shell("doctor")
    assert ran.code == 1
    assert "no index; run: evidencedesk index" in ran.out


def test_a_key_that_others_can_read(shell: Shell) -> None:
    shell("doctor")
    (shell.instance / "secret_key").chmod(0o644)
    assert "chmod 600" in shell("doctor").out


def test_a_database_that_is_none(shell: Shell) -> None:
    (shell.instance / "evidencedesk.db").write_text("nonsense " * 100, encoding="utf-8")
    assert "file is not a database" in shell("doctor").out


def test_an_address_of_the_model_that_is_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_MODEL", "openai_compatible")
    monkeypatch.setenv("EVIDENCEDESK_MODEL_BASE_URL", "localhost:8080")
    complaint = "EVIDENCEDESK_MODEL_BASE_URL: this is no address of a server; write it like http://127.0.0.1:8080/v1"
    assert complaint in shell("doctor").out
    ran = shell("serve", "--port", "0")
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err


def test_a_model_server_that_is_down(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        monkeypatch.setenv("EVIDENCEDESK_MODEL", "openai_compatible")
        monkeypatch.setenv("EVIDENCEDESK_MODEL_BASE_URL", f"http://127.0.0.1:{port}/v1")
        ran = shell("doctor")
    assert ran.code == 1
    assert f"wrong  model  the server at 127.0.0.1:{port} can't be reached (Connection refused); start it" in ran.out


def test_a_model_server_that_is_up(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("EVIDENCEDESK_MODEL", "openai_compatible")
        monkeypatch.setenv("EVIDENCEDESK_MODEL_BASE_URL", f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        assert "ok     model\n" in shell("doctor").out
