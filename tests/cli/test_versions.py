from __future__ import annotations

from collections.abc import Callable

from tests.cli.conftest import Shell

RETURN = "Within how many days can I return a lamp?"


def test_going_back_and_seeing_it(shell: Shell, edit: Callable[[str, str, str], None]) -> None:
    assert "no version yet" in shell("versions").out
    first = shell("index", "--json").json["version"]
    edit("returns.md", "45 days", "60 days")
    second = shell("index", "--json").json["version"]
    assert [(one["version"], one["live"]) for one in shell("versions", "--json").json["versions"]] == [
        (second, True), (first, False),
    ]  # fmt: skip
    assert shell("rollback", first, "--json").json["version"] == first
    assert f"* {first}" in shell("versions").out
    assert "45 days" in shell("ask", RETURN).out


def test_an_unknown_version_is_said_with_those_there_are(shell: Shell) -> None:
    version = shell("index", "--json").json["version"]
    ran = shell("rollback", "nonsense")
    assert ran.code == 2
    assert version in ran.err
