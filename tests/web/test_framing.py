"""Pages of other sites that may show ours in a frame, and asking in such a frame, where the browser keeps no cookie."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from werkzeug.test import Client as Bare
from werkzeug.test import TestResponse

from tests.client import check_page
from tests.conftest import PASSWORD, ROLES, Desks, _install

SITES = ("https://shop.example", "http://127.0.0.1:8080")
QUESTION = "Within how many days can I return a lamp?"
IN_FRAME = {"Sec-Fetch-Dest": "iframe", "Accept-Language": "en"}
OUR_FORM = IN_FRAME | {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def framed(tmp_path_factory: pytest.TempPathFactory, shared_desks: Desks) -> Iterator[Desks]:
    folder = tmp_path_factory.mktemp("framed")
    shutil.copytree(shared_desks.settings.instance / "vectors", folder / "instance" / "vectors")
    desks = _install(folder)
    config = desks.shop / "collection.toml"
    listed = f'framed_by = ["https://Shop.example/", "{SITES[1]}"]\n'
    config.write_text(listed + config.read_text(encoding="utf-8"), encoding="utf-8")
    accounts = desks.services.accounts
    desks.sessions = {
        name: accounts.accept(accounts.invite(f"{name}@lamps.example", role, groups), "", PASSWORD)
        for name, (role, groups) in ROLES.items()
    }
    yield desks
    desks.services.close()


def framers(response: TestResponse) -> tuple[str, str | None]:
    policy = re.search("frame-ancestors (.*)", response.headers["Content-Security-Policy"])
    assert policy
    return policy[1], response.headers.get("X-Frame-Options")


def in_frame(desks: Desks) -> Bare:
    """A browser that keeps no cookie."""
    return desks.app.test_client(use_cookies=False)


def ask(desks: Desks, headers: dict[str, str], address: str = "/ask") -> TestResponse:
    form = {"question": QUESTION, "collection": "shop"}
    return in_frame(desks).post(address, data=form, headers=headers, follow_redirects=True)


@pytest.mark.parametrize("path", ["/", "/c/shop/", "/sources/returns", "/c/shop/sources/made-up"])
def test_a_collection_names_the_sites_that_may_show_its_pages(framed: Desks, path: str) -> None:
    assert framers(framed.client().get(path)) == (" ".join(SITES), None)


@pytest.mark.parametrize(
    "path", ["/c/school/", "/c/school/sources/terms", "/asked", "/sign-in", "/nothing", "/metrics"]
)
def test_other_pages_are_never_framed(framed: Desks, path: str) -> None:
    assert framers(framed.client().get(path)) == ("'none'", "DENY")


@pytest.mark.parametrize("reader", ["agent", "editor", "admin"])
@pytest.mark.parametrize("path", ["/", "/sources/returns", "/agent/answers"])
def test_what_staff_see_is_never_framed(framed: Desks, reader: str, path: str) -> None:
    assert framers(framed.client(reader).get(path)) == ("'none'", "DENY")


def test_an_answer_is_framed_like_the_box_it_was_asked_in(framed: Desks) -> None:
    answer = framed.client().post("/ask", {"question": QUESTION}, follow_redirects=True)
    assert framers(answer) == (" ".join(SITES), None)


def test_a_question_is_asked_without_any_cookie(framed: Desks) -> None:
    answer = ask(framed, OUR_FORM)
    check_page(answer.text, answer.headers["Content-Security-Policy"])
    assert "45 days" in answer.text
    assert 'name="vote"' not in answer.text, "whose vote it is could not be told"
    assert "in a window of its own" in answer.text


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none", ""])
def test_no_other_site_makes_its_visitors_ask(framed: Desks, site: str) -> None:
    refused = ask(framed, IN_FRAME | ({"Sec-Fetch-Site": site} if site else {}))
    assert refused.status_code == 400
    assert "The form has expired" in refused.text


@pytest.mark.parametrize(
    ("origin", "status"), [("http://localhost", 200), ("https://shop.example", 400), ("null", 400)]
)
def test_browsers_that_say_no_more_say_the_origin(framed: Desks, origin: str, status: int) -> None:
    assert ask(framed, IN_FRAME | {"Origin": origin}).status_code == status


@pytest.mark.parametrize("path", ["/asked", "/sign-in", "/sign-out", "/answers/made-up/feedback", "/admin/keys"])
def test_nothing_else_is_taken_without_a_token(framed: Desks, path: str) -> None:
    response = in_frame(framed).post(path, headers=OUR_FORM)
    assert response.status_code == (302 if path.startswith("/admin") else 400)


@pytest.mark.parametrize("reader", ["nobody", "member"])
def test_whoever_has_a_cookie_needs_the_token(framed: Desks, reader: str) -> None:
    client = framed.client(reader)
    client.get("/")
    assert client.send("POST", "/ask", data={"question": QUESTION}, headers=OUR_FORM).status_code == 400


def test_the_language_of_the_address_goes_on_in_the_frame(framed: Desks) -> None:
    box = in_frame(framed).get("/?lang=bn", headers=IN_FRAME).text
    action = re.search(r'action="(/ask[^"]*)"', box)
    assert action
    assert action[1] == "/ask?lang=bn"
    answer = ask(framed, OUR_FORM, action[1])
    assert '<html lang="bn">' in answer.text
    source = re.search(r'class="open" href="([^"#]*)', answer.text)
    assert source
    assert '<html lang="bn">' in in_frame(framed).get(source[1].replace("&amp;", "&"), headers=IN_FRAME).text


def test_where_cookies_are_kept_addresses_stay_as_they_are(framed: Desks) -> None:
    client = framed.client()
    client.get("/?lang=bn")
    assert 'action="/ask"' in client.get("/?lang=bn").text
