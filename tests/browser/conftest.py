"""A real browser before a real server: the sample collections on a loopback port, Chromium looking at them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, sync_playwright
from pydantic import SecretStr
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.browser.gallery import Gallery, paint
from webapp.app import create_app
from webapp.services.root import Services
from webapp.services.worker import do_next
from webapp.settings import Settings

ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
# What Chromium and htmx say of a request that was refused, or could not be sent: tests bring that about.
REFUSED = re.compile(r"status of 4\d\d|Error Code 4\d\d|ERR_INTERNET_DISCONNECTED|^htmx:(sendError|afterRequest)")
os.environ.setdefault("OMP_NUM_THREADS", "1")


class Quiet(WSGIRequestHandler):
    """Requests are no news here."""

    def log(self, type: str, message: str, *args: Any) -> None:
        pass


def sign_in(page: Page, email: str, password: str) -> None:
    """Sign in on the page that asks for it; return when that led on."""
    page.locator("#email").fill(email)
    page.locator("[name=password]").fill(password)
    page.locator("main form button").click()
    leaves_sign_in(page)


def leaves_sign_in(page: Page) -> None:
    """Wait until it is left: its own address ends as that of the page which it leads on to."""
    page.wait_for_url(lambda url: urlsplit(url).path != "/sign-in")


@pytest.fixture(scope="session")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    instance: Path = tmp_path_factory.mktemp("browser")
    often = "10000 per minute"  # one address walks every journey, as fast as the machine lets it
    settings = Settings(instance=instance, secret_key=SecretStr("k" * 40), ask_rate=often, sign_in_rate=often)
    opened = Services.open(settings)
    opened.desk("kestrel").ensure_index()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def gallery(services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    """A site whose pages show all that they can."""
    painted = paint(tmp_path_factory.mktemp("gallery"), services.settings.instance / "vectors")
    yield painted
    painted.services.close()


@contextmanager
def at_work(services: Services) -> Iterator[None]:
    """Jobs are done, as a worker beside the server does them."""
    over = Event()

    def work() -> None:
        while not over.wait(0.1):
            do_next(services)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def served(services: Services, app: Flask | None = None) -> Iterator[str]:
    """The application on a port of its own; the address has no slash at the end."""
    app = app or create_app(services.settings, services)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def address(services: Services) -> Iterator[str]:
    """Where the application answers."""
    with served(services) as place:
        yield place


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    assert chromium, "the browser tests need Chromium as the command chromium; `make browser` says how to install it"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Open a page of a fresh browser session; `options` are the context's: language, scripts, colours, size.

    An error in a script, or anything the policy blocks, fails the test.
    """
    contexts = []
    wrong: list[str] = []

    def note(message: Any) -> None:
        missing = "status of 404" in message.text and "/static/" in message.location["url"]
        if message.type == "error" and (missing or not REFUSED.search(message.text)):
            wrong.append(message.text)

    def open_(path: str = "/", **options: Any) -> Page:
        context = browser.new_context(base_url=address, **({"locale": "en"} | options))
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert wrong == []
