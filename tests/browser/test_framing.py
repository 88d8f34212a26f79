"""Our pages in a frame on another site: its host name is another one, so the browser sends us no cookie there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic import SecretStr
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from tests.browser.axe import violations
from tests.browser.conftest import Quiet, served
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings

REFUSED = "chrome-error://**"  # what Chromium shows instead
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Another shop</title></head><body><main>
<h1>Another shop</h1><iframe src="{src}" title="Help" width="340" height="600"></iframe></main></body></html>"""


@Request.application
def shop(request: Request) -> Response:
    """A page of another shop: what it frames stands in its own address."""
    return Response(PAGE.format(src=request.args.get("src", "")), mimetype="text/html")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The port of the other site, which has several names."""
    server = make_server("127.0.0.1", 0, shop, threaded=True, request_handler=Quiet)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield str(server.server_port)
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, services: Services, site: str) -> Iterator[str]:
    """Where our pages are, for the site of that name alone."""
    folder: Path = tmp_path_factory.mktemp("framed")
    shutil.copytree(shared("corpus") / "kestrel", folder / "corpus" / "kestrel")
    shutil.copytree(services.settings.instance / "vectors", folder / "instance" / "vectors")
    config = folder / "corpus" / "kestrel" / "collection.toml"
    config.write_text(
        f'framed_by = ["http://localhost:{site}"]\n' + config.read_text(encoding="utf-8"), encoding="utf-8"
    )
    settings = Settings(instance=folder / "instance", corpus=folder / "corpus", secret_key=SecretStr("k" * 40))
    opened = Services.open(settings)
    opened.desk().ensure_index()
    with served(opened) as address:
        yield address
    opened.close()


@pytest.fixture
def shown(browser: Browser, desk: str, site: str) -> Iterator[Callable[..., Page]]:
    contexts = []

    def show(path: str, host: str = "localhost", **options: Any) -> Page:
        context = browser.new_context(locale="en", **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"http://{host}:{site}/?src={desk}{path}")
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_visitor_asks_in_the_frame_and_reads_the_source(shown: Callable[..., Page], desk: str, scripts: bool) -> None:
    page = shown("/%3Flang=bn", java_script_enabled=scripts)
    frame = page.frame_locator("iframe")
    frame.locator("#question").fill("How long do I have to return a bike?")
    frame.locator("form.ask button").click()
    expect(frame.locator(".answer")).to_contain_text("within 30 days of delivery")
    expect(frame.locator(".feedback")).to_have_count(0)
    expect(frame.locator("main a[target=_blank]")).to_contain_text("আলাদা উইন্ডোতে")
    frame.locator(".sources .open").first.click()
    expect(frame.locator("#L11.cited")).to_be_visible()
    expect(frame.locator("html")).to_have_attribute("lang", "bn")
    assert page.context.cookies() == []


def test_no_other_site_gets_to_show_it(shown: Callable[..., Page]) -> None:
    page = shown("/", host="127.0.0.1")
    page.frames[1].wait_for_url(REFUSED)


@pytest.mark.parametrize("path", ["/sign-in", "/asked", "/agent/answers", "/admin/"])
def test_no_page_of_staff_is_shown(shown: Callable[..., Page], path: str) -> None:
    shown(path).frames[1].wait_for_url(REFUSED)


def test_axe_minds_nothing_in_the_frame(shown: Callable[..., Page]) -> None:
    page = shown("/")
    frame = page.frame_locator("iframe")
    frame.locator("#question").fill("Can I pay in instalments?")
    frame.locator("form.ask button").click()
    expect(frame.locator("h1")).to_contain_text("We found no answer")
    assert violations(page) + violations(page.frames[1]) == []
    assert page.frames[1].evaluate("() => document.documentElement.scrollWidth <= innerWidth")
