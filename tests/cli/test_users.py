from __future__ import annotations

import pytest

from tests.cli.conftest import Shell


def test_adding_listing_disabling(shell: Shell) -> None:
    assert "no account yet" in shell("users", "list").out
    ran = shell("users", "add", "Ada@lamps.example", "--role", "editor", "--groups", "staff", "--json")
    assert ran.json["link"].startswith("/sign-in/")
    [user] = shell("users", "list", "--json").json["users"]
    assert user == {"email": "ada@lamps.example", "role": "editor", "groups": ["staff"], "state": "invited"}
    assert shell("users", "disable", "ada@lamps.example").code == 0
    assert "disabled" in shell("users", "list").out
    assert shell("users", "disable", "ada@lamps.example", "--undo").code == 0
    assert "http://127.0.0.1:8000/sign-in/" in shell("users", "link", "ada@lamps.example").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "nonsense"], "Give an e-mail address"),
        (["link", "nobody@lamps.example"], "There is no account"),
        (["disable", "nobody@lamps.example"], "There is no account"),
        (["add", "a@lamps.example", "--role", "king"], "'king' is not one of"),
    ],
)
def test_mistakes(shell: Shell, arguments: list[str], words: str) -> None:
    ran = shell("users", *arguments)
    assert ran.code == 2
    assert words in ran.err
