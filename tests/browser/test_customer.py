"""A customer's way: ask, read, open the source, come back; with and without scripts, in English and Bangla."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, Response, expect

Open = Callable[..., Page]

BAR = "line => getComputedStyle(line).borderInlineStartColor"
GROUND = "element => getComputedStyle(element).backgroundColor"
SCREENSHOT = "EVIDENCEDESK_SCREENSHOT"  # where to put the picture of the README; `make` leaves it unset


@dataclass(frozen=True)
class Words:
    """What a walk in one language says and expects."""

    locale: str
    question: str
    ask: str
    answered: str
    marker: str
    open: str
    back: str
    nothing: str
    why: str


ENGLISH = Words(
    "en", "How long do I have to return a bike?", "Ask", "30 days", "[1]", "Open source", "Back to the answer",
    "Can I pay in instalments?", "Why: none of our",
)  # fmt: skip
BANGLA = Words(
    "bn", "ডেলিভারি পেতে কত দিন লাগে?", "জিজ্ঞাসা করুন", "৪ থেকে ৭ কর্মদিবস", "[১]", "উৎস খুলুন", "উত্তরে ফিরে যান",
    "কিস্তিতে দাম দেওয়া যায়?", "কারণ: ",
)  # fmt: skip

walks = pytest.mark.parametrize("words", [ENGLISH, BANGLA], ids=["english", "bangla"])
scripts = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])


def ask(page: Page, question: str, words: Words = ENGLISH) -> None:
    page.locator("#question").fill(question)
    page.get_by_role("button", name=words.ask, exact=True).click()
    page.wait_for_url("**/answers/*")


def focused(page: Page) -> str:
    return str(page.evaluate("() => document.activeElement.id || document.activeElement.tagName"))


def in_view(page: Page, selector: str) -> bool:
    box, size = page.locator(selector).first.bounding_box(), page.viewport_size
    return bool(box and size and box["y"] >= 0 and box["y"] + box["height"] <= size["height"])


@scripts
@walks
def test_from_the_question_to_the_marked_lines_and_back(open_page: Open, words: Words, scripts: bool) -> None:
    page = open_page("/", locale=words.locale, java_script_enabled=scripts)
    ask(page, words.question, words)
    expect(page.locator("h1")).to_have_text(words.question)
    expect(page.locator(".statement").first).to_contain_text(words.answered)
    expect(page.locator(".marker").first).to_have_text(words.marker)
    page.get_by_role("link", name=words.open).first.click()
    page.wait_for_url("**/sources/**")
    expect(page.locator(".line.cited").first).to_be_visible()
    expect(page.locator(".line.cited mark").first).to_contain_text(words.answered)
    assert in_view(page, ".line.cited")
    page.get_by_role("link", name=words.back).click()
    expect(page.locator("h1")).to_have_text(words.question)
    assert page.url.endswith("#cite-1")


@scripts
@walks
def test_no_answer_says_why_and_leads_on(open_page: Open, words: Words, scripts: bool) -> None:
    page = open_page("/", locale=words.locale, java_script_enabled=scripts)
    ask(page, words.nothing, words)
    expect(page.locator("main")).to_contain_text(words.why)
    expect(page.locator("main")).to_contain_text("help@kestrelcycles.example")
    assert page.locator(".sources").count() == 0


def test_an_example_is_one_press_away(open_page: Open) -> None:
    page = open_page("/")
    page.get_by_role("button", name="When do gift cards expire?").click()
    page.wait_for_url("**/answers/*")
    expect(page.locator(".answer")).to_contain_text("36 months")


def test_u02_by_keyboard_alone_focus_is_never_lost(open_page: Open) -> None:
    """U02, and U04: a source is no dialog but a page, which opens with the focus on its cited lines."""
    page = open_page("/")
    page.locator("#question").focus()
    page.keyboard.type(ENGLISH.question)
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/*")
    expect(page.locator("h1")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#cite-1")).to_be_focused()
    expect(page.locator("#tip-0-1")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#tip-0-1")).to_be_hidden()
    page.locator(".open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/sources/**")
    assert focused(page) == "L11"
    assert page.locator("dialog, [role=dialog]").count() == 0
    assert in_view(page, "#L11")
    page.locator(".back").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/**")
    assert focused(page) == "cite-1"


def test_u01_a_screen_reader_hears_each_state_once(open_page: Open) -> None:
    page = open_page("/")
    page.evaluate(
        """() => {
            const place = document.getElementById("announce");
            window.heard = [];
            new MutationObserver(() => place.textContent && window.heard.push(place.textContent))
                .observe(place, {childList: true});
        }"""
    )
    ask(page, ENGLISH.question)
    expect(page.locator("#announce")).to_have_text("Answer ready")
    ask(page, ENGLISH.nothing)
    expect(page.locator("#announce")).to_contain_text("No answer: ")
    heard = page.evaluate("() => window.heard")
    assert [words.split(":")[0].split(" ")[0] for words in heard] == ["Looking", "Answer", "Looking", "No"]


def test_u07_a_double_click_asks_once(open_page: Open) -> None:
    page = open_page("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.locator("#question").fill("How much does delivery cost?")
    page.get_by_role("button", name="Ask", exact=True).dblclick()
    page.wait_for_url("**/answers/*")
    assert len(asked) == 1


def test_u07_reload_back_and_forward_keep_to_the_answer(open_page: Open) -> None:
    page = open_page("/")
    ask(page, ENGLISH.question)
    answer = page.url
    page.reload()
    expect(page.locator("h1")).to_have_text(ENGLISH.question)
    page.go_back()
    expect(page.locator("h1")).to_have_text("Ask a question about our documents")
    page.go_forward()
    expect(page.locator("h1")).to_have_text(ENGLISH.question)
    assert page.url == answer


@scripts
def test_what_was_typed_stays_beside_its_error(open_page: Open, scripts: bool) -> None:
    page = open_page("/", java_script_enabled=scripts)
    page.locator("#question").fill("🚲 !?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#question-error")).to_contain_text("Please ask in words")
    expect(page.locator("#question")).to_have_value("🚲 !?")
    if scripts:
        expect(page.locator("#question")).to_be_focused()


def test_what_was_typed_stays_when_the_question_cant_be_sent(open_page: Open) -> None:
    page = open_page("/")
    page.locator("#question").fill(ENGLISH.question)
    page.context.set_offline(True)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".progress")).to_contain_text("could not be sent")
    expect(page.locator("#question")).to_have_value(ENGLISH.question)
    page.context.set_offline(False)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("h1")).to_have_text(ENGLISH.question)


def test_what_was_typed_stays_when_the_server_refuses(open_page: Open) -> None:
    page = open_page("/")
    page.locator("#question").fill(ENGLISH.question)
    page.route("**/api/v1/ask/stages", lambda route: route.fulfill(status=404))
    page.evaluate("() => document.querySelectorAll('[name=csrf_token]').forEach((one) => one.remove())")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".progress")).to_contain_text("The form has expired: Go back, load the page again")
    expect(page.locator("#question")).to_have_value(ENGLISH.question)


def test_the_language_switch_keeps_the_page_and_is_remembered(open_page: Open) -> None:
    page = open_page("/sources/kc-returns-v3?lines=11-12")
    page.get_by_role("link", name="বাংলা").click()
    expect(page.locator("html")).to_have_attribute("lang", "bn")
    assert page.locator(".line.cited").count() == 2
    page.goto("/")
    expect(page.locator("h1")).to_have_text("আমাদের নথিপত্র নিয়ে প্রশ্ন করুন")


def test_line_numbers_are_not_copied_with_the_text(open_page: Open) -> None:
    page = open_page("/sources/kc-returns-v3")
    page.evaluate("() => getSelection().selectAllChildren(document.querySelector('.lines'))")
    copied = page.evaluate("() => getSelection().toString()")
    assert copied.startswith("---\nid: kc-returns-v3\ntitle: Returns policy\n")
    assert "\n11" not in copied


def test_a_range_of_lines_can_be_shared(open_page: Open) -> None:
    page = open_page("/sources/kc-returns-v3#L10-L12")
    assert page.locator(".line.picked").count() == 3
    page.locator("#L14 > a").click()
    page.locator("#L16 > a").click(modifiers=["Shift"])
    assert page.url.endswith("#L14-L16")
    assert page.locator(".line.picked").count() == 3


def test_the_text_view_shows_the_marked_passage(open_page: Open) -> None:
    page = open_page("/")
    ask(page, ENGLISH.question)
    page.locator(".open").first.click()
    page.get_by_role("link", name="Text", exact=True).click()
    expect(page.locator(".rendered mark").first).to_contain_text("30 days")


def test_what_is_cited_stands_out_in_forced_colours(open_page: Open) -> None:
    page = open_page("/sources/kc-returns-v3?lines=11-12", forced_colors="active")
    before, cited = (page.locator(line).evaluate(BAR) for line in ("#L10", "#L11"))
    assert before != cited
    page = open_page("/", forced_colors="active")
    ask(page, ENGLISH.question)
    page.locator(".open").first.click()
    assert page.locator(".line mark").first.evaluate(GROUND) != page.locator("body").evaluate(GROUND)


def test_the_first_page_is_small(open_page: Open) -> None:
    page = open_page("about:blank")
    sizes: list[int] = []

    def weigh(response: Response) -> None:
        taken = response.request.sizes()
        sizes.append(taken["responseBodySize"] + taken["responseHeadersSize"])

    page.on("response", weigh)
    page.goto("/", wait_until="networkidle")
    assert len(sizes) <= 6
    assert sum(sizes) < 60_000


@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_is_wider_than_the_screen(open_page: Open, width: int) -> None:
    page = open_page("/", viewport={"width": width, "height": 740})
    ask(page, ENGLISH.question)
    page.locator(".marker").first.focus()
    wide = "() => document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= width
    page.locator(".open").first.click()
    expect(page.locator("#L1")).to_be_attached()
    assert page.evaluate(wide) <= width
    ask_bangla = BANGLA.nothing + "কখগঘঙচছজঝঞটঠডঢণতথদধনপফবভমযরলশষসহ" * 3
    page.goto("/?lang=bn")
    ask(page, ask_bangla, BANGLA)
    assert page.evaluate(wide) <= width


def test_the_picture_of_the_readme(open_page: Open) -> None:
    """The answer, and beside it the lines it came from; kept where the environment says."""
    page = open_page("/", viewport={"width": 780, "height": 650})
    ask(page, ENGLISH.question)
    answer = page.screenshot()
    page.goto((page.locator(".open").first.get_attribute("href") or "").partition("#")[0])
    source = page.screenshot()
    both = open_page("about:blank", viewport={"width": 1600, "height": 650})
    pictures = (f'<img src="data:image/png;base64,{b64encode(one).decode()}" alt="">' for one in (answer, source))
    both.set_content(f'<body style="margin: 0; display: flex; gap: 40px; background: #999">{"".join(pictures)}</body>')
    shown = both.screenshot(path=os.environ.get(SCREENSHOT))
    assert shown.startswith(b"\x89PNG")
