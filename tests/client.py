"""The test client: every page that any test gets through it is checked as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
from flask import Flask
from werkzeug.test import TestResponse

NONCE = re.compile(r"script-src 'nonce-([^']+)'")
LABELLED = {"input", "select", "textarea"}
UNLABELLED_KINDS = {"hidden", "submit", "button"}


class Client:
    """A browser without a screen: keeps cookies, sends forms with their token, checks what it is shown."""

    def __init__(self, app: Flask, language: str = "en") -> None:
        self.app = app
        self._client = app.test_client()
        self._headers = {"Accept-Language": language}

    def get(self, path: str, **options: Any) -> TestResponse:
        """Get a page and check it."""
        return self._checked(
            self._client.get(path, buffered=True, headers=self._headers | options.pop("headers", {}), **options)
        )

    def post(self, path: str, data: dict[str, Any] | None = None, **options: Any) -> TestResponse:
        """Send a form, with the token that a page of ours would have put into it."""
        form = {"csrf_token": self.csrf_token()} | (data or {})
        headers = self._headers | options.pop("headers", {})
        return self._checked(self._client.post(path, buffered=True, data=form, headers=headers, **options))

    def post_json(self, path: str, body: Any, **options: Any) -> TestResponse:
        """Send JSON, as a program does."""
        return self._client.post(
            path, buffered=True, json=body, headers=self._headers | options.pop("headers", {}), **options
        )

    def send(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send anything, just as it is."""
        return self._checked(self._client.open(path, method=method, buffered=True, **options))

    def csrf_token(self) -> str:
        """Return the token of this browser's session."""
        field = re.search(r'name="csrf_token" value="([^"]+)"', self._client.get("/sign-in").text)
        assert field
        return field[1]

    def sign_in(self, email: str, password: str, target: str = "") -> TestResponse:
        """Sign in through the form."""
        return self.post("/sign-in", {"email": email, "password": password, "next": target})

    def enter(self, session_token: str) -> Client:
        """Carry on a session that has begun elsewhere."""
        with self._client.session_transaction() as session:
            session["token"] = session_token
        return self

    def session_token(self) -> str | None:
        """Return the token of the session this browser is signed in with."""
        with self._client.session_transaction() as session:
            return session.get("token")

    def _checked(self, response: TestResponse) -> TestResponse:
        if response.mimetype == "text/html" and response.status_code not in (301, 302, 303, 308):
            check_page(response.text, response.headers.get("Content-Security-Policy", ""))
        return response


def check_page(html: str, policy: str = "") -> None:
    """Fail unless the HTML is what every page must be; a fragment for htmx has no head and no h1 of its own."""
    whole = "<html" in html
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    elements = list((parser.parse(html) if whole else parser.parseFragment(html)).iter())
    check_ids(elements)
    check_labels(elements)
    check_forms(elements)
    check_nothing_inline(elements)
    if whole:
        check_titles(elements)
        check_nonces(elements, policy)


def check_titles(elements: list[Element]) -> None:
    """One h1, which starts the title; a language; one main part."""
    headings = [words(one) for one in elements if one.tag == "h1"]
    titles = [words(one) for one in elements if one.tag == "title"]
    assert len(headings) == len(titles) == 1, f"h1: {headings}, title: {titles}"
    assert headings[0], "the h1 is empty"
    assert titles[0].startswith(headings[0]), f"title {titles[0]!r} doesn't start with the h1 {headings[0]!r}"
    assert elements_of(elements, "html")[0].get("lang"), "the page has no lang"
    assert len(elements_of(elements, "main")) == 1, "not exactly one main"


def check_ids(elements: list[Element]) -> None:
    """No id twice; what labels and descriptions point to is there."""
    ids = Counter(one.attrib["id"] for one in elements if "id" in one.attrib)
    assert not (twice := [id_ for id_, count in ids.items() if count > 1]), f"ids used twice: {twice}"
    for one in elements:
        for name in ("for", "aria-describedby", "aria-labelledby"):
            missing = [id_ for id_ in one.get(name, "").split() if id_ not in ids]
            assert not missing, f"{name} of <{one.tag}> points to missing {missing}"


def check_labels(elements: list[Element]) -> None:
    """Every field has a label, every button and link a name, every picture a text."""
    targets = {one.attrib["for"] for one in elements if one.tag == "label" and "for" in one.attrib}
    wrapped = {id(field) for label in elements_of(elements, "label") for field in label.iter()}
    for one in elements:
        named = one.get("aria-label") or one.get("aria-labelledby")
        if one.tag in LABELLED and one.get("type") not in UNLABELLED_KINDS:
            assert named or one.get("id") in targets or id(one) in wrapped, f"no label: <{one.tag} {one.attrib}>"
        if one.tag == "img":
            assert "alt" in one.attrib, f"no alt: {one.attrib}"
        if one.tag in {"a", "button"}:
            assert named or words(one) or any(child.get("aria-label") for child in one.iter()), f"nameless <{one.tag}>"


def check_forms(elements: list[Element]) -> None:
    """Every form can be sent: without a button it leads nowhere."""
    for form in elements_of(elements, "form"):
        buttons = [one for one in form.iter() if one.tag == "button" and one.get("type", "submit") == "submit"]
        assert buttons, f"a form without a button: {form.attrib}"


def check_nothing_inline(elements: list[Element]) -> None:
    """No style and no handler in the page: the policy would block it."""
    for one in elements:
        assert one.tag != "style", "a <style> element"
        assert one.tag != "script" or not (one.text or "").strip() or one.get("type") == "application/json", (
            "inline script"
        )
        inline = [name for name in one.attrib if name == "style" or re.fullmatch(r"on\w+", name)]
        assert not inline, f"inline {inline} on <{one.tag}>"


def check_nonces(elements: list[Element], policy: str) -> None:
    """Every script carries the nonce that the policy of this answer names."""
    nonce = NONCE.search(policy)
    for script in elements_of(elements, "script"):
        assert nonce, "scripts without a policy"
        assert script.get("nonce") == nonce[1], "a script without the nonce"


def elements_of(elements: list[Element], tag: str) -> list[Element]:
    """Return the elements of that name."""
    return [one for one in elements if one.tag == tag]


def words(element: Element) -> str:
    """Return the element's text, white space folded."""
    return " ".join("".join(_texts(element)).split())


def _texts(element: Element) -> Iterator[str]:
    return (text for text in element.itertext() if isinstance(text, str))
