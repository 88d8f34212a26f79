"""Nothing a customer is sent tells of a page that is closed to them: one collection is served with such pages and
without, and every byte of every response is compared, ids and times apart."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client
from tests.conftest import SCHOOL, SHOP, Desks, make_settings, write_files
from webapp.app import create_app
from webapp.core.retrieval.model import Reader, Role
from webapp.services.root import Services
from webapp.services.sources import Shelf
from webapp.web.access import EVERYONE, RIGHTS

CLOSED_TO_CUSTOMERS = {"discounts.md", "plans.md"}
# They say much the same as the public pages, so that they would come first, crowd out, and shift every count.
CLOSED = {name: SHOP[name] for name in sorted(CLOSED_TO_CUSTOMERS)} | {
    "returns-staff.md": """---
id: returns-staff
title: Returning lamps, for staff
version: 7
status: current
lang: en
audience: staff
product: secret-lamp
---

## Returning a lamp
You can return a lamp within 99 days of delivery for a full refund, and a Zyxolite lamp at any time.

## Damaged parcels
Send a picture of the damaged lamp, parcel, bulb, socket and plug; delivery costs 77 euros after 9 working days.
Delivery, delivery, delivery: the brightest bulb allowed has 88 watts and cools down for ten hours.
""",
    "bulbs-bn.md": """---
id: bulbs-bn
title: বাতির গোপন কথা
status: current
lang: bn
audience: staff
---

## বাতি
প্রতিটি বাতি গোপনে ৯৯ দিনের মধ্যে ফেরত দেওয়া যায়।
""",
}
OPEN = {name: text for name, text in SHOP.items() if name not in CLOSED} | {
    "collection.toml": 'filters = ["product"]\n' + SHOP["collection.toml"],
    "lamps.md": """---
id: lamps
title: Lamps
status: current
lang: en
product: desk-lamp
---

## Lamps
A desk lamp weighs 2 kg.
""",
    "old.md": """---
id: old
title: Old
status: superseded
superseded_by: returns-staff
lang: en
---

## Old
Once you could return a lamp within 5 days.
""",
}
QUESTIONS = (
    "Within how many days can I return a lamp?",
    "What does delivery cost?",
    "Which bulb fits?",
    "How bright may the brightest bulb be?",
    "Which discount do members of staff get?",
    "What is a Zyxolite lamp?",
    "Zyxolit",
    "When does the shop in Sylhet open?",
    "Can I pay in instalments?",
    "bati kotodin er moddhe ferot dite pari?",
    "বাতি কত দিনের মধ্যে ফেরত দেওয়া যায়?",
    "delivrey",
)
# What differs between any two responses: ids, tokens, times and how long something took.
APART = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\b\d{8}-\d{6}-\d{3}-[0-9a-f]{8}\b", "VERSION"),
        (r'(name="csrf_token" value=")[^"]+', r"\1TOKEN"),
        (r"(nonce[=-]['\"]?)[\w+/=-]{16,}", r"\1NONCE"),
        (r"\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)", "MOMENT"),
        (r"(?<![\w-])[\w-]{22}(?![\w-])", "ID"),
        (r"(number |\"request_id\":\s*\")[0-9a-f]{12}", r"\1REQUEST"),
        (r"(?m)^(\w+_(?:seconds|created|bucket|sum)\w*(?:\{[^}]*\})?) .*$", r"\1 FIGURE"),
    )
)
OWN = {"X-Request-Id", "Set-Cookie", "Date", "Content-Length", "Last-Modified", "ETag"}  # of one response or file

Ask = Callable[[Client], Any]


@dataclass(frozen=True)
class Pair:
    """The same installation twice: with closed pages, and without."""

    having: Client
    lacking: Client

    def same(self, ask: Ask, because: str) -> str:
        """Fail unless both answer alike; return what they say."""
        with_them, without = (plain(ask(client)) for client in (self.having, self.lacking))
        assert with_them == without, because
        return with_them


def plain(response: Any) -> str:
    """A response as text, what is its own apart."""
    headers = sorted(f"{name}: {value}" for name, value in response.headers if name not in OWN)
    text = "\n".join([response.status, *headers, "", response.get_data(as_text=True)])
    for pattern, put in APART:
        text = pattern.sub(put, text)
    return text


def install(folder: Path, files: dict[str, str], vectors: Path) -> Services:
    write_files(folder / "corpus" / "shop", files)
    write_files(folder / "corpus" / "school", SCHOOL)
    shutil.copytree(vectors, folder / "instance" / "vectors")
    services = Services.open(make_settings(folder))
    for card in services.collections():
        services.desk(card.name).ensure_index()
    return services


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, shared_desks: Desks) -> Iterator[tuple[Services, Services]]:
    vectors = shared_desks.settings.instance / "vectors"
    pair = tuple(
        install(tmp_path_factory.mktemp(name), files, vectors)
        for name, files in (("having", OPEN | CLOSED), ("lacking", OPEN))
    )
    yield pair[0], pair[1]
    for services in pair:
        services.close()


@pytest.fixture(scope="module")
def pair(installed: tuple[Services, Services]) -> Pair:
    return fresh(installed)


def fresh(installed: tuple[Services, Services]) -> Pair:
    """Browsers that have asked nothing yet, of applications that were asked nothing yet."""
    having, lacking = (Client(create_app(services.settings, services)) for services in installed)
    return Pair(having, lacking)


def test_the_closed_pages_are_there_for_those_they_are_for(installed: tuple[Services, Services]) -> None:
    having, lacking = (services.desk() for services in installed)
    insider = Reader(Role.AGENT, frozenset({"staff"}))
    assert len(having.documents(insider)) == len(lacking.documents(insider)) + len(CLOSED)
    found = having.ask(QUESTIONS[0], Reader(groups=frozenset({"staff"}))).retrieved
    assert "returns-staff" in [chunk.document_id for chunk in found]


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_and_abstentions(pair: Pair, question: str) -> None:
    form = {"question": question, "collection": "shop"}
    said = pair.same(lambda client: client.post("/ask", form, follow_redirects=True), question)
    fragment = {"HX-Request": "true"}
    pair.same(lambda client: client.post("/ask", form, headers=fragment), question)
    assert "returns-staff" not in said
    assert "99 days" not in said


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_api_to_the_last_digit(pair: Pair, question: str) -> None:
    said = pair.same(lambda client: client.post_json("/api/v1/ask", {"question": question}), question)
    assert "retrieved" not in json.loads(said.split("\n\n", 1)[1])


@pytest.mark.parametrize(
    "body",
    [
        {"question": "Which bulb fits?", "filters": {"product": "secret-lamp"}},
        {"question": "Which bulb fits?", "filters": {"product": "made-up"}},
        {"question": "Which bulb fits?", "filters": {"product": "desk-lamp"}},
        {"question": "Which bulb fits?", "lang": "bn"},
        {"question": "Which bulb fits?", "lang": "xx"},
        {"question": "Which bulb fits?", "follows": "made-up"},
        {"question": "", "collection": "shop"},
        {"question": "Which bulb fits?", "collection": "nowhere"},
    ],
)
def test_what_the_api_refuses(pair: Pair, body: dict[str, Any]) -> None:
    pair.same(lambda client: client.post_json("/api/v1/ask", body), str(body))


def test_a_closed_value_is_refused_like_one_that_is_made_up(pair: Pair) -> None:
    closed, made_up = (
        plain(pair.having.post_json("/api/v1/ask", {"question": "Which bulb?", "filters": {"product": value}}))
        for value in ("secret-lamp", "made-up")
    )
    assert closed.replace("secret-lamp", "made-up") == made_up


@pytest.mark.parametrize("id_", ["discounts", "plans", "returns-staff", "bulbs-bn"])
@pytest.mark.parametrize("end", ["", "?lines=1-3", "?view=text", "?view=file", "?at=0000", "/"])
def test_a_guessed_id_is_not_found_like_one_that_is_made_up(pair: Pair, id_: str, end: str) -> None:
    """P01: nothing tells a closed page from none, on any address that takes an id."""
    for place in ("/sources/", "/c/shop/sources/", "/c/school/sources/"):
        said = pair.same(lambda client, path=place + id_ + end: client.get(path), id_)  # type: ignore[misc]
        made_up = plain(pair.having.get(place + "x" * len(id_) + end))
        assert said == made_up.replace("x" * len(id_), id_)
        assert said.startswith("404")


@pytest.mark.parametrize("id_", ["returns", "returns-1", "old", "bulbs"])
@pytest.mark.parametrize("view", ["lines", "text", "file"])
def test_open_pages_say_nothing_of_closed_ones(pair: Pair, id_: str, view: str) -> None:
    said = pair.same(lambda client: client.get(f"/sources/{id_}?view={view}"), id_)
    assert view == "file" or "returns-staff" not in said.replace("superseded_by: returns-staff", "")


def test_every_other_address_that_takes_no_form(installed: tuple[Services, Services]) -> None:
    pair = fresh(installed)
    examples = {"collection": "shop", "document_id": "returns-staff", "answer_id": "made-up", "token": "made-up"}
    rules = [rule for rule in pair.having.app.url_map.iter_rules() if "GET" in (rule.methods or set())]
    open_to_all = [rule for rule in rules if RIGHTS.get(rule.endpoint) == EVERYONE and rule.endpoint != "static"]
    assert open_to_all
    for rule in open_to_all:
        adapter = pair.having.app.url_map.bind("localhost")
        path = adapter.build(rule.endpoint, {name: examples.get(name, "made-up") for name in rule.arguments})
        for query in ("", "?q=lamp&collection=shop&question=lamp"):
            pair.same(lambda client, path=path + query: client.get(path), path)  # type: ignore[misc]


@pytest.mark.parametrize(
    "path",
    ["/sitemap.xml", "/robots.txt", "/returns-staff", "/c/nowhere/", "/answers/none", "/static/none", "/agent/x"],
)
def test_addresses_that_lead_nowhere(pair: Pair, path: str) -> None:
    pair.same(lambda client: client.get(path), path)


def test_what_counts_for_one_reader_comes_from_what_they_may_see(installed: tuple[Services, Services]) -> None:
    having, lacking = (Shelf(services.desk().live(), Reader()) for services in installed)
    assert having.listed() == lacking.listed()
    assert having.current_count() == lacking.current_count()
    assert installed[0].desk().filters(Reader()) == installed[1].desk().filters(Reader()) == {"product": ("desk-lamp",)}


def test_an_edit_of_a_closed_page_changes_nothing(installed: tuple[Services, Services], pair: Pair) -> None:
    services = installed[0]
    file = services.desk().folder / "returns-staff.md"
    text = file.read_text(encoding="utf-8")
    before = [plain(pair.having.post_json("/api/v1/ask", {"question": question})) for question in QUESTIONS]
    file.write_text(text + "\n## More\n" + "Return a lamp, a bulb, a parcel. " * 60, encoding="utf-8")
    try:
        after = [plain(pair.having.post_json("/api/v1/ask", {"question": question})) for question in QUESTIONS]
        assert before == after
    finally:
        file.write_text(text, encoding="utf-8")
