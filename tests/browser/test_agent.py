"""An agent's walk in a real browser: a customer asks, the page is edited, the agent sees what was said then, what has
changed and what would be said today; with scripts and without, in English and Bangla."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pydantic import SecretStr
from werkzeug.serving import make_server

from tests.browser.conftest import Quiet, sign_in
from webapp.app import create_app
from webapp.core.retrieval.model import Role
from webapp.paths import shared
from webapp.services.root import Services
from webapp.settings import Settings

PASSWORD = "correct horse battery"
QUESTION = "How long do I have to return a bike?"
Start = Callable[..., Page]


class Office:
    """A site of its own, whose pages may be edited, and its agent."""

    def __init__(self, folder: Path) -> None:
        self.pages = folder / "corpus" / "kestrel"
        often = "10000 per minute"
        self.services = Services.open(
            Settings(
                instance=folder / "instance",
                corpus=folder / "corpus",
                secret_key=SecretStr("k" * 40),
                ask_rate=often,
                sign_in_rate=often,
            )
        )

    def hire(self) -> None:
        """Let the agent in."""
        accounts = self.services.accounts
        accounts.accept(accounts.invite("agent@bikes.example", Role.AGENT), "agent@bikes.example", PASSWORD)

    def edit(self, old: str, new: str) -> None:
        """Change the returns policy, as an editor would; what is served follows."""
        file = self.pages / "returns-policy.md"
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        self.services.desk().live()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages with their index and the agent's account, to be copied for each test."""
    folder: Path = tmp_path_factory.mktemp("office")
    without_golden = shutil.ignore_patterns("golden.jsonl")  # it would be asked at every build
    shutil.copytree(shared("corpus") / "kestrel", folder / "corpus" / "kestrel", ignore=without_golden)
    office = Office(folder)
    office.services.desk().ensure_index()
    office.hire()
    office.services.close()
    return folder


@pytest.fixture
def office(prepared: Path, tmp_path: Path) -> Iterator[Office]:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    opened = Office(tmp_path)
    yield opened
    opened.services.close()


@pytest.fixture
def start(browser: Browser, office: Office) -> Iterator[Start]:
    """Open a fresh browser session on the office's site; what scripts complain of fails the test."""
    app = create_app(office.services.settings, office.services)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = Thread(target=server.serve_forever)
    thread.start()
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_(**options: object) -> Page:
        address = f"http://127.0.0.1:{server.server_port}"
        context = browser.new_context(base_url=address, **({"locale": "en"} | options))  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        return page

    yield open_
    for context in contexts:
        context.close()
    server.shutdown()
    thread.join()
    server.server_close()
    assert wrong == []


def asks(page: Page, question: str = QUESTION) -> None:
    """Ask as a customer, up to the answer."""
    page.goto("/")
    page.locator("#question").fill(question)
    page.locator(".ask button").click()
    page.wait_for_url("**/answers/*")
    page.locator("article").wait_for()


def signs_in(page: Page) -> None:
    page.goto("/sign-in?next=/agent/answers")
    sign_in(page, "agent@bikes.example", PASSWORD)


def finds_the_answer(page: Page) -> None:
    """From the list to all that is kept about the answer."""
    page.get_by_role("link", name=QUESTION).first.click()
    if "/agent/answers/" not in page.url:  # the customer's page leads on
        page.locator("summary", has_text="How this answer was made").click()
        page.get_by_role("link", name="Everything about this answer").click()
    page.wait_for_url("**/agent/answers/*")


def test_from_a_dispute_to_the_citation(start: Start, office: Office) -> None:
    asks(start())
    agent = start(permissions=["clipboard-read", "clipboard-write"])
    signs_in(agent)
    finds_the_answer(agent)
    expect(agent.locator(".staff-sources")).to_contain_text("The page is unchanged since it was cited.")
    address = agent.url

    office.edit("within 30 days", "within 45 days")
    agent.reload()
    source = agent.locator("#source-1")
    expect(source).to_contain_text("The page has changed since, and the cited lines with it.")
    expect(source.locator("del")).to_have_text("30")
    expect(source.locator("ins")).to_have_text("45")
    source.get_by_role("link", name="As it was").click()
    expect(agent.locator(".line.cited").first).to_contain_text("within 30 days")
    agent.goto(address)

    agent.get_by_role("button", name="Ask again today").click()
    again = agent.locator(".again")
    expect(again).to_contain_text("Other words today, from the same sources.")
    expect(again.locator("ins")).to_have_text("45")
    assert agent.url == address, "nothing was left for it"

    agent.locator(".actions summary", has_text="Copy citation").click()
    agent.locator(".actions").get_by_role("button", name="Copy", exact=True).click()
    expect(agent.locator("#announce")).to_have_text("Citation copied")
    copied = agent.evaluate("navigator.clipboard.readText()")
    assert "within 30 days" in copied
    assert "Returns policy, version 3, Returning a bike, lines 11-12" in copied
    link = copied.split("\n")[-1]
    agent.goto(link)
    expect(agent.locator(".line.cited").first).to_contain_text("within 30 days")

    office.edit("status: current", "status: withdrawn")
    agent.goto(address)
    expect(agent.locator("#source-1 .notice")).to_contain_text("This page has been withdrawn.")


def test_without_scripts(start: Start, office: Office) -> None:
    customer = start(java_script_enabled=False)
    customer.goto("/")
    customer.locator("#question").fill(QUESTION)
    customer.locator(".ask button").click()
    customer.wait_for_url("**/answers/*")
    agent = start(java_script_enabled=False)
    signs_in(agent)
    finds_the_answer(agent)
    office.edit("within 30 days", "within 45 days")
    agent.get_by_role("button", name="Ask again today").click()
    expect(agent.locator(".again")).to_contain_text("Other words today")
    expect(agent.locator("#source-1 del")).to_have_text("30")
    agent.locator(".actions summary", has_text="Copy citation").click()
    expect(agent.locator("#copy-all")).to_have_attribute("readonly", "")
    assert "lines 11-12" in agent.locator("#copy-all").input_value()
    expect(agent.locator(".actions .copy button")).to_be_hidden()
    agent.locator(".journey summary").first.click()
    expect(agent.locator(".journey table")).to_be_visible()
    agent.locator(".actions summary", has_text="Make a golden question").click()
    agent.get_by_role("button", name="Propose it", exact=True).click()
    expect(agent.locator(".notice")).to_contain_text("proposed for the golden set")


def test_the_search_leads_to_the_lines_and_to_what_replaced_them(start: Start) -> None:
    agent = start()
    signs_in(agent)
    agent.get_by_role("link", name="Search pages").click()
    agent.locator("#q").fill("return a bike")
    agent.locator("#status").select_option("superseded")
    agent.get_by_role("button", name="Search", exact=True).click()
    expect(agent.locator(".found > li")).to_have_count(1)
    agent.locator(".found").get_by_role("link", name="Versions").click()
    agent.locator("#other").select_option(label="version 3, current, as it is now, kc-returns-v3")
    agent.get_by_role("button", name="Compare").click()
    expect(agent.locator(".diff del", has_text="14").first).to_be_visible()
    expect(agent.locator(".diff ins", has_text="30").first).to_be_visible()
    agent.go_back()
    agent.go_back()
    agent.locator(".passages a").first.click()
    expect(agent.locator(".line.cited").first).to_be_in_viewport()


def test_in_bangla(start: Start, office: Office) -> None:
    agent = start(locale="bn")
    asks(agent, "সাইকেল ফেরত দিতে কত দিন সময় পাব?")
    answer = agent.url.rpartition("/")[2]
    signs_in(agent)
    agent.goto(f"/agent/answers/{answer}")
    expect(agent.locator("#seen")).to_have_text("গ্রাহক যা দেখেছেন")
    expect(agent.locator(".journey")).to_contain_text("যথেষ্ট?")
    agent.get_by_role("button", name="আজ আবার জিজ্ঞাসা করুন").click()
    expect(agent.locator(".again")).to_contain_text("আজও একই।")
