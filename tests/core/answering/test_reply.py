from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.answering.model import ModelReply, Reason, Withheld
from webapp.core.answering.reply import Reply, parse_reply, reply_schema

SENT = frozenset({"a:c0", "a:c1"})
ONE = {"text": "Thirty days.", "cited_ids": ["a:c0"]}
GOOD = {"status": "answered", "confidence": "high", "statements": [ONE]}


def parse(data: object, **reply: Any) -> Reply:
    text = data if isinstance(data, str) else json.dumps(data)
    return parse_reply(ModelReply(text, **reply), SENT)


def reason(data: object, **reply: object) -> Reason:
    with pytest.raises(Withheld) as caught:
        parse(data, **reply)
    return caught.value.reason


def test_a_good_reply_is_read():
    assert parse(GOOD).statements[0].cited_ids == ["a:c0"]


def test_the_flat_form_is_one_statement():
    flat = {"status": "answered", "confidence": "low", "answer": " Thirty days. ", "cited_ids": ["a:c0", "a:c1"]}
    assert parse(flat).statements[0].text == "Thirty days."
    assert parse(flat).statements[0].cited_ids == ["a:c0", "a:c1"]


@pytest.mark.parametrize(
    "abstained",
    [
        {"status": "abstained", "confidence": "low", "statements": []},
        {"status": "abstained", "confidence": "low", "answer": "", "cited_ids": []},
        {"status": "abstained", "confidence": "low", "answer": None, "cited_ids": []},
        {"status": "abstained", "confidence": "low", "answer": "The evidence does not say.", "cited_ids": []},
    ],
)
def test_an_abstention_is_the_models_own(abstained):
    assert reason(abstained) is Reason.MODEL_ABSTAINED


@pytest.mark.parametrize(
    "broken",
    [
        {},
        GOOD | {"note": "extra"},
        GOOD | {"status": "maybe"},
        GOOD | {"confidence": 0.9},
        GOOD | {"statements": []},
        GOOD | {"statements": "Thirty days."},
        GOOD | {"statements": [{"text": " ", "cited_ids": ["a:c0"]}]},
        GOOD | {"statements": [{"text": "x", "cited_ids": "a:c0"}]},
        GOOD | {"statements": [{"text": "x", "cited_ids": [0]}]},
        GOOD | {"statements": [ONE | {"url": "x"}]},
        GOOD | {"answer": "both forms", "cited_ids": ["a:c0"]},
        GOOD | {"status": "abstained"},
        {"status": "answered", "confidence": "high", "answer": None, "cited_ids": ["a:c0"]},
        {"status": "answered", "confidence": "high", "answer": "", "cited_ids": []},
        {"response": "x", "sources": ["a:c0"]},
    ],
)
def test_another_shape_is_an_invalid_schema(broken):
    """X02: a document that shows a reply of another shape gets nobody to use it."""
    assert reason(broken) is Reason.INVALID_SCHEMA


def test_a_statement_without_citation_is_told_apart():
    assert reason(GOOD | {"statements": [ONE, {"text": "x", "cited_ids": []}]}) is Reason.UNCITED_STATEMENT
    assert reason({"status": "answered", "confidence": "low", "answer": "x", "cited_ids": []}) is (
        Reason.UNCITED_STATEMENT
    )


@pytest.mark.parametrize("id_", ["1", "[1]", "c0", "a", "a:c", "a:c00", "A:C0", " a:c0", "a:c0 ", "docs/a:c0", ""])
def test_only_an_exact_id_counts(id_):
    assert reason(GOOD | {"statements": [ONE, {"text": "x", "cited_ids": [id_]}]}) is Reason.UNKNOWN_CITATION


@pytest.mark.parametrize(
    "text",
    ["", "  ", "I think so.", "[1, 2]", "null", '"answered"', '{"status": NaN}', '{"a": 1} {"b": 2}', "{'a': 1}"],
)
def test_what_is_no_json_object_is_said_to_be(text):
    assert reason(text) is Reason.INVALID_JSON


def test_a_key_given_twice_is_not_json_we_trust():
    twice = json.dumps(GOOD).replace("{", '{"status": "abstained", ', 1)
    assert reason(twice) is Reason.INVALID_JSON


def test_half_a_surrogate_pair_can_be_neither_shown_nor_kept():
    with pytest.raises(Withheld) as withheld:
        parse_reply(ModelReply('{"status": "\\ud800"}'), ["a:c0"])
    assert withheld.value.reason is Reason.INVALID_JSON
    withheld.value.detail.encode()


@pytest.mark.parametrize("text", [" ", "…", "\\u0000"])
def test_a_statement_without_a_word_is_none(text):
    said = (
        f'{{"status": "answered", "confidence": "high", "statements": [{{"text": "{text}", "cited_ids": ["a:c0"]}}]}}'
    )
    with pytest.raises(Withheld) as withheld:
        parse_reply(ModelReply(said), ["a:c0"])
    assert withheld.value.reason is Reason.INVALID_SCHEMA


def test_a_reply_nested_without_end_is_refused():
    assert reason('{"a":' + "[" * 100_000) is Reason.INVALID_JSON


def test_an_empty_reply_at_the_limit_is_cut_short():
    with pytest.raises(Withheld) as caught:
        parse("", truncated=True)
    assert (caught.value.reason, caught.value.detail) == (Reason.TRUNCATED, "cut short (empty)")


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "```JSON\n{}\n```\n", "\n```json \n{}\n ```"])
def test_one_fence_around_it_is_taken_off(fence):
    assert parse(fence.replace("{}", json.dumps(GOOD))).statements


@pytest.mark.parametrize("around", ["Here: {}", "{} Hope this helps!", "```json\n{}", "x\n```json\n{}\n```", "`{}`"])
def test_anything_else_around_it_is_a_bad_format(around):
    assert reason(around.replace("{}", json.dumps(GOOD))) is Reason.INVALID_JSON


def test_it_is_judged_in_order():
    """Stop reason, JSON, schema, status, ids, citations on every statement."""
    unknown, uncited = {"text": "x", "cited_ids": ["zzz"]}, {"text": "x", "cited_ids": []}
    assert reason("no json", truncated=True) is Reason.TRUNCATED
    assert reason("I won't", refused=True) is Reason.MODEL_ABSTAINED
    assert reason(GOOD | {"status": "abstained", "statements": [unknown]}) is Reason.INVALID_SCHEMA
    assert reason(GOOD | {"statements": [uncited, unknown]}) is Reason.UNKNOWN_CITATION
    assert reason(GOOD | {"confidence": "?", "statements": [uncited]}) is Reason.INVALID_SCHEMA


def test_the_schema_is_one_that_strict_providers_take():
    schema = reply_schema()
    closed = [schema, *schema["$defs"].values()]
    assert all(
        one["additionalProperties"] is False and set(one["required"]) == set(one["properties"]) for one in closed
    )
    assert "minLength" not in json.dumps(schema)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(sorted(SENT)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["status", "confidence", "statements", "text", "cited_ids", "answer", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
STATEMENT = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["A lamp.", "", "..."]) | st.text(max_size=5),
        "cited_ids": st.lists(st.sampled_from(["a:c0", "b:c9"]), max_size=2),
    }
)
NEARLY = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["answered", "abstained"]),
        "confidence": st.sampled_from(["high", "low", "none"]),
        "statements": st.lists(STATEMENT, max_size=3) | JSON,
    }
)


@given(text=st.text(max_size=40) | JSON.map(json.dumps) | NEARLY.map(json.dumps), truncated=st.booleans())
@settings(max_examples=300, derandomize=True)
def test_whatever_comes_back_it_is_a_cited_answer_or_withheld(text, truncated):
    try:
        parsed = parse_reply(ModelReply(text, truncated=truncated), SENT)
    except Withheld:
        return
    assert parsed.statements
    assert all(one.text.strip() and one.cited_ids and set(one.cited_ids) <= SENT for one in parsed.statements)
