"""The question box on a page of another site: another origin, its own styles, its own policy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from tests.browser.axe import violations
from tests.browser.conftest import Quiet
from webapp.services.keys import NewKey, Scope
from webapp.services.root import Services

Open = Callable[..., Page]
QUESTION = "How long do I have to return a bike?"
NO_ANSWER = re.compile(r"^No answer: none of our \d+ current pages deals with this\.$")
SPENT = re.compile("No more questions can be asked from this page today|again in a minute")  # shortly before midnight
INSIDE = "() => Boolean(document.activeElement.shadowRoot?.activeElement?.closest('dialog'))"
PAGE = """<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>Another shop</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body><main><h1>Another shop</h1><p>We sell bells. <a href="#bells">All bells</a></p></main>
<script src="{desk}/widget.js" data-key="{key}" data-collection="kestrel" {more} defer></script></body></html>"""


class Site:
    """Another shop, on a port of its own. `key` is what stands in its pages."""

    def __init__(self, desk: str) -> None:
        self.desk, self.key, self.lang, self.more = desk, "", "en", ""
        self.server = make_server("127.0.0.1", 0, self.page, threaded=True, request_handler=Quiet)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def page(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        return self.reply(Request(environ))(environ, start)

    def reply(self, request: Request) -> Response:
        if request.path != "/":
            return Response(status=204)
        html = PAGE.format(desk=self.desk, key=self.key, lang=self.lang, more=self.more)
        policy = f"default-src 'none'; script-src {self.desk}; connect-src {self.desk}"  # and no style at all
        return Response(html, mimetype="text/html", headers={"Content-Security-Policy": policy})


@pytest.fixture
def site(address: str, services: Services) -> Iterator[Site]:
    shop = Site(address)
    shop.key = make_key(services, shop.address)
    thread = Thread(target=shop.server.serve_forever)
    thread.start()
    yield shop
    shop.server.shutdown()
    thread.join()
    shop.server.server_close()


def make_key(services: Services, *origins: str, per_day: int = 100, per_minute: int = 30) -> str:
    wanted = NewKey(name="Shop", scopes=frozenset(Scope), collection="kestrel", origins=origins, per_day=per_day)
    wanted = wanted.model_copy(update={"per_minute": per_minute})
    return services.keys.make(wanted, "ed@kestrel.example")[0]


def opened(open_page: Open, site: Site, **options: object) -> Page:
    page = open_page(site.address, **options)
    page.locator("evidence-desk .open").click()
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    page.locator("#question").fill(question)
    page.keyboard.press("Enter")


def minded(page: Page) -> list[str]:
    """All that axe minds about it, in both themes."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += violations(page, "evidence-desk")
    return found


def focused(page: Page) -> str:
    inside = "() => document.activeElement.shadowRoot?.activeElement"
    return str(page.evaluate(f"{inside}?.outerHTML ?? document.activeElement.outerHTML"))


def test_a_customer_of_another_site_asks_and_opens_the_source(open_page: Open, site: Site) -> None:
    page = opened(open_page, site)
    ask(page)
    expect(page.locator("evidence-desk .status")).to_have_text("Answer ready")
    expect(page.locator("evidence-desk dialog")).to_contain_text("within 30 days of delivery")
    expect(page.locator("evidence-desk ol li").first).to_contain_text("Returning a bike, lines 11-12")
    assert page.context.cookies() == []
    assert page.evaluate("() => localStorage.length + sessionStorage.length") == 0
    with page.expect_popup() as source:
        page.locator("evidence-desk ol a").first.click()
    expect(source.value.locator("#L11")).to_be_visible()


def test_u04_by_keyboard_alone(open_page: Open, site: Site) -> None:
    """U04: named, focus kept inside, Escape closes, focus returns."""
    page = open_page(site.address)
    page.locator("evidence-desk .open").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Ask our documents")
    expect(dialog).to_be_visible()
    assert 'id="question"' in focused(page)
    for key in ("Tab", "Shift+Tab"):
        for _ in range(5):
            page.keyboard.press(key)
            assert page.evaluate(INSIDE), "focus left the dialog"
    ask(page)
    expect(page.locator("evidence-desk h3").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert 'class="open"' in focused(page)


def test_u01_each_state_is_said_once(open_page: Open, site: Site) -> None:
    page = opened(open_page, site)
    page.evaluate(
        """() => {
            const line = document.querySelector("evidence-desk").shadowRoot.querySelector("[role=status]");
            window.heard = [];
            const hear = (changes) => changes.forEach((one) => window.heard.push(one.addedNodes[0].textContent));
            new MutationObserver(hear).observe(line, {childList: true});
        }"""
    )
    ask(page)
    expect(page.locator("evidence-desk .status")).to_have_text("Answer ready")
    ask(page, "Can I pay in instalments?")
    expect(page.locator("evidence-desk .status")).to_have_text(NO_ANSWER)
    heard = page.evaluate("() => window.heard")
    looking, checking = "Looking through our pages…", "Checking the sources…"
    assert heard[:-1] == [looking, checking, "Answer ready", looking]
    assert NO_ANSWER.search(heard[-1])


@pytest.mark.parametrize(
    ("lang", "why", "person"),
    [("en", "Why: none of our", "Ask a person"), ("bn", "কারণ: আমাদের", "সরাসরি কাউকে জিজ্ঞাসা করুন")],
)
def test_without_an_answer_it_says_why_and_whom_to_ask(
    open_page: Open, site: Site, lang: str, why: str, person: str
) -> None:
    site.more = f'data-lang="{lang}"'
    page = opened(open_page, site)
    ask(page, "Can I pay in instalments?")
    expect(page.locator("evidence-desk .why")).to_contain_text(why)
    expect(page.get_by_role("heading", name=person)).to_be_visible()
    expect(page.locator("evidence-desk a[href^='mailto:']")).to_have_text("help@kestrelcycles.example")
    near = page.locator("evidence-desk ul a").first
    expect(near).to_have_attribute("href", re.compile(rf"/c/kestrel/sources/[\w-]+\?lang={lang}$"))


def test_a_vote_is_kept(open_page: Open, site: Site, services: Services) -> None:
    page = opened(open_page, site)
    ask(page)
    page.get_by_role("button", name="Not helpful").click()
    expect(page.locator("evidence-desk .status")).to_have_text("Thank you")
    expect(page.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")
    address = urlsplit(page.locator("evidence-desk a[href*='/answers/']").get_attribute("href") or "")
    assert [vote.good for vote in services.store.feedback.all(str(address.path).rpartition("/")[2])] == [False]


@pytest.mark.parametrize(("question", "words"), [("", "Please type a question."), ("!?", "Please ask in words")])
def test_what_can_not_be_asked_is_said_at_once(open_page: Open, site: Site, question: str, words: str) -> None:
    page = opened(open_page, site)
    ask(page, question)
    expect(page.locator("evidence-desk .status")).to_contain_text(words)
    assert 'id="question"' in focused(page)


def test_a_key_that_is_used_up_is_said_in_words(open_page: Open, site: Site, services: Services) -> None:
    site.key = make_key(services, site.address, per_day=1)
    page = opened(open_page, site)
    ask(page)
    expect(page.locator("evidence-desk .status")).to_have_text("Answer ready")
    ask(page)
    expect(page.locator("evidence-desk .status")).to_have_text(SPENT)
    expect(page.locator("#question")).to_have_value(QUESTION)


def test_a_key_that_is_used_too_often_is_said_in_words(open_page: Open, site: Site, services: Services) -> None:
    site.key = make_key(services, site.address, per_minute=1)
    page = opened(open_page, site)
    ask(page)
    expect(page.locator("evidence-desk .status")).to_have_text("Answer ready")
    ask(page)
    expect(page.locator("evidence-desk .status")).to_contain_text("again in a minute")


def test_u09_in_bangla_nothing_is_left_in_english(open_page: Open, site: Site) -> None:
    site.lang = "bn-BD"
    page = opened(open_page, site)
    ask(page, "সাইকেল কত দিনের মধ্যে ফেরত দেওয়া যায়?")
    expect(page.locator("evidence-desk h3").first).to_be_focused()
    foreign = page.evaluate(
        """() => [...document.querySelector("evidence-desk").shadowRoot.querySelectorAll("button, label, h2, h3, p, a")]
            .filter((one) => !one.closest("[lang=en]") && !one.querySelector("[lang=en]"))
            .map((one) => one.textContent)"""
    )
    assert foreign
    assert not [words for words in foreign if re.search("[A-Za-z0-9]", words)]


@pytest.mark.parametrize(("width", "lang"), [(1280, "en"), (360, "bn")])
def test_axe_minds_nothing(open_page: Open, site: Site, width: int, lang: str) -> None:
    site.more = f'data-lang="{lang}"'
    page = open_page(site.address, viewport={"width": width, "height": 740})
    wrong = minded(page)
    page.locator("evidence-desk .open").click()
    wrong += minded(page)
    for question in (QUESTION, "Can I pay in instalments?"):
        ask(page, question)
        expect(page.locator("evidence-desk h3").first).to_have_text(question)
        wrong += minded(page)
    assert wrong == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
