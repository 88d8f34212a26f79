from __future__ import annotations

import re

import pytest

from tests.client import Client
from tests.conftest import PASSWORD, Desks
from webapp.core.retrieval.model import Role

FORM = {"name": "Shop", "scopes": ["ask"], "origins": "", "per_minute": "30", "per_day": "100", "collection": ""}


@pytest.fixture
def editor(desks: Desks) -> Client:
    accounts = desks.services.accounts
    return desks.client().enter(accounts.accept(accounts.invite("ed@lamps.example", Role.EDITOR), "", PASSWORD))


def made(html: str) -> str:
    found = re.search(r'<code class="secret">(ed_[\w-]+)</code>', html)
    assert found
    return found[1]


def test_a_key_is_shown_once_and_works(desks: Desks, editor: Client) -> None:
    response = editor.post("/admin/keys", FORM)
    secret = made(response.text)
    assert response.headers["Cache-Control"] == "no-store"
    assert "&lt;script" not in response.text, "a program's key is for no page"
    asked = desks.client().post_json(
        "/api/v1/ask", {"question": "Which bulb fits?"}, headers={"Authorization": f"Bearer {secret}"}
    )
    assert asked.status_code == 200
    shown = editor.get("/admin/keys").text
    assert secret not in shown
    assert "Shop" in shown
    assert "1 of 100 today" in shown
    assert "by ed@lamps.example" in shown


def test_nothing_that_is_kept_can_be_used_as_a_key(desks: Desks, editor: Client) -> None:
    secret = made(editor.post("/admin/keys", FORM).text)
    database = (desks.settings.instance / "evidencedesk.db").read_bytes()
    assert secret.encode() not in database


def test_a_key_for_pages_comes_with_the_line_to_put_there(editor: Client) -> None:
    form = FORM | {"origins": "https://Shop.example/\nhttp://127.0.0.1:8080", "collection": "school"}
    text = editor.post("/admin/keys", form).text
    assert f'src="http://localhost/widget.js" data-key="{made(text)}" data-collection="school"' in text.replace(
        "&#34;", '"'
    )
    assert "<code>https://shop.example</code>, <code>http://127.0.0.1:8080</code>" in text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": " "}, "Give a name"),
        ({"name": "x" * 101}, "Give a name"),
        ({"scopes": []}, "Choose at least one"),
        ({"scopes": ["everything"]}, "Choose at least one"),
        ({"per_minute": "0"}, "from 1 to 10,000."),
        ({"per_minute": "many"}, "from 1 to 10,000."),
        ({"per_day": ""}, "from 1 to 10,000,000."),
        ({"origins": "https://shop.example/help"}, "“https://shop.example/help” is no origin"),
        ({"origins": "*"}, "“*” is no origin"),
        ({"origins": "null"}, "“null” is no origin"),
        ({"origins": "https://*.example"}, "is no origin"),
        ({"origins": "ftp://shop.example"}, "is no origin"),
        ({"origins": "https://shop.example:99999"}, "is no origin"),
    ],
)
def test_mistakes_are_said_beside_the_field_and_lose_nothing(
    desks: Desks, editor: Client, wrong: dict[str, object], words: str
) -> None:
    response = editor.post("/admin/keys", FORM | {"per_day": "77"} | wrong)
    assert response.status_code == 422
    assert words in response.text
    assert 'value="77"' in response.text or "per_day" in wrong
    assert desks.services.keys.all() == ()


def test_a_revoked_key_stays_in_the_list(desks: Desks, editor: Client) -> None:
    editor.post("/admin/keys", FORM)
    (key,) = desks.services.keys.all()
    assert editor.post(f"/admin/keys/{key.id}/revoke").status_code == 303
    assert "revoked on" in editor.get("/admin/keys").text
    assert editor.post(f"/admin/keys/{key.id}/revoke").status_code == 404
