from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Shell
from webapp.cli import COMMANDS, cli

RETURN = "Within how many days can I return a lamp?"


def test_every_command_is_there_and_says_what_it_does(shell: Shell) -> None:
    listed = shell.bare("--help").out
    for name in COMMANDS:
        assert name in listed
        ran = shell.bare(name, "--help")
        assert ran.code == 0
        assert "Usage: evidencedesk" in ran.out


def test_every_command_takes_the_common_options() -> None:
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]
        assert command
        leaves = getattr(command, "commands", {name: command}).values()
        for leaf in leaves:
            assert {"collection", "instance", "as_json"} <= {option.name for option in leaf.params}, leaf.name


def test_a_mistake_of_ours_keeps_its_traceback(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("webapp.services.root.Services.open", fail)
    with pytest.raises(RuntimeError):
        shell("versions")


@pytest.mark.parametrize("arguments", [["nonsense"], ["ask", "--nonsense"], ["--nonsense"]])
def test_what_is_not_there_is_said_in_a_line(shell: Shell, arguments: list[str]) -> None:
    ran = shell.bare(*arguments)
    assert ran.code == 2
    assert "nonsense" in ran.err
    assert "evidencedesk --help" in ran.err


def test_a_wrong_setting_is_said_in_a_line(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_K", "none")
    ran = shell("versions")
    assert (ran.code, ran.err.splitlines()[0][:30]) == (2, "evidencedesk: EVIDENCEDESK_K: ")


HEAVY = {"flask", "sqlalchemy", "alembic", "openai", "anthropic", "rich", "argon2", "gunicorn", "yaml", "pyromark"}


def test_asking_loads_nothing_that_it_does_not_use(shell: Shell) -> None:
    """What a command imports is most of its time."""
    shell("index")
    code = (
        "import sys; from webapp.cli import run; "
        f"run(['ask', {RETURN!r}, '--collection', {str(shell.folder)!r}, '--instance', {str(shell.instance)!r}]); "
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
