from __future__ import annotations

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
