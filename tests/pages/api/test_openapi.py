from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.client import Client
from webapp.core.answering.model import Answer


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _references(one)


def test_the_document_describes_the_api(client: Client) -> None:
    document = client.get("/api/v1/openapi.json").get_json()
    assert document["openapi"] == "3.1.0"
    ask = document["paths"]["/api/v1/ask"]["post"]
    assert {"200", "400", "404", "415", "429"} <= ask["responses"].keys()
    assert document["components"]["schemas"]["Question"]["required"] == ["question"]


def test_every_reference_leads_somewhere(client: Client) -> None:
    document = client.get("/api/v1/openapi.json").get_json()
    for reference in set(_references(document)):
        place = document
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_it_says_all_that_an_answer_has_and_requires_nothing_that_may_be_missing(client: Client) -> None:
    document = client.get("/api/v1/openapi.json").get_json()
    schema = document["components"]["schemas"]["Answer"]
    assert schema["properties"].keys() == Answer.model_fields.keys()
    answer = client.post_json("/api/v1/ask", {"question": "Within how many days can I return a lamp?"}).get_json()
    assert set(schema["required"]) <= answer.keys() <= schema["properties"].keys()
