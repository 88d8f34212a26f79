from __future__ import annotations

import socket
import sqlite3
from datetime import timedelta

import pytest

from tests.cli.conftest import Shell
from webapp.services.root import Services
from webapp.settings import read_settings


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


def test_a_cap_that_can_not_be_kept(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_MODEL", "openai_compatible")
    monkeypatch.setenv("EVIDENCEDESK_MODEL_NAME", "tiny")
    monkeypatch.setenv("EVIDENCEDESK_DAILY_CAP", "5")
    assert "there is a cap and no price for tiny" in shell("doctor").out
    monkeypatch.setenv("EVIDENCEDESK_MODEL_PRICES", "tiny=1/2")
    assert "cap" not in shell("doctor").out


def test_a_setting_that_is_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_RETENTION_DAY", "30")
    assert "wrong  settings  there is no setting EVIDENCEDESK_RETENTION_DAY; docs/settings.md" in shell("doctor").out


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"BEHIND_TLS": "true"}, "set EVIDENCEDESK_TRUSTED_PROXIES=1"),
        ({"PROXY_USER_HEADER": "X-User"}, "name the proxy's address in EVIDENCEDESK_PROXY_PEERS"),
        ({"WORKERS": "2", "RATE_STORAGE": "memory://"}, "set EVIDENCEDESK_RATE_STORAGE=database://"),
        ({"BEHIND_TLS": "true", "TRUSTED_PROXIES": "1", "WORKERS": "2"}, "ok     proxies\n"),
    ],
)
def test_what_stands_in_front(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], advice: str
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"EVIDENCEDESK_{name}", value)
    assert advice in shell("doctor").out


def test_a_folder_that_everybody_can_write_to(shell: Shell) -> None:
    shell.instance.chmod(0o777)
    assert "chmod o-w" in shell("doctor").out


def test_a_disk_that_is_nearly_full(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.cli.doctor._LEAST_FREE", 10**18)
    assert "make room for 1000000000000 MB" in shell("doctor").out


def test_an_index_that_is_damaged(shell: Shell) -> None:
    shell("index")
    vectors = next(shell.instance.glob("indexes/*/segments/*/vectors*"))
    vectors.write_bytes(vectors.read_bytes()[:-1] + b"?")
    assert "damaged: " in shell("doctor").out


def test_work_that_nobody_does(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("index")
    settings = read_settings(collection=str(shell.folder), instance=shell.instance)
    services = Services.open(settings, alone=True)
    services.jobs.ask(services.default, "index")
    services.close()
    assert "ok     worker\n" in shell("doctor").out
    monkeypatch.setattr("webapp.cli.doctor._PATIENCE", timedelta(0))
    assert "waits and nobody does it; run: evidencedesk worker" in shell("doctor").out


def test_a_database_whose_rows_hang_in_the_air(shell: Shell) -> None:
    shell("index")
    shell("doctor")
    with sqlite3.connect(shell.instance / "evidencedesk.db") as database:
        database.execute("INSERT INTO links (token, account_id, expires_at) VALUES ('a', 99, '2026-01-01')")
    database.close()
    assert "wrong  database  rows point to others that are not there" in shell("doctor").out


def test_a_database_on_a_server_and_a_key_of_its_own(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """A second machine that was given the address and not the key."""
    monkeypatch.setenv("EVIDENCEDESK_DATABASE_URL", database_url)
    for key in ("mine", "another"):
        monkeypatch.setenv("EVIDENCEDESK_SECRET_KEY", key)
        services = Services.open(read_settings(instance=shell.instance, collection=str(shell.folder)), alone=True)
        services.tidy()
        services.close()
    said = shell("doctor").out
    assert "ok     database" in said
    assert "wrong  shared key  a process on this database signed with another one" in said
    monkeypatch.setenv("EVIDENCEDESK_DATABASE_URL", "postgresql://nobody@/nothing?host=/nowhere")
    assert "wrong  database  can't open the database" in shell("doctor").out
