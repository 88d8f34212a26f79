from __future__ import annotations

from webapp.core.last_used import LastUsed


def test_what_was_asked_for_longest_ago_goes_first() -> None:
    kept: LastUsed[str] = LastUsed(2)
    kept.put("a", "A")
    kept.put("b", "B")
    assert kept.get("a") == "A"
    assert kept.put("c", "C") == "C"
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]


def test_together_they_weigh_no_more_than_that() -> None:
    kept: LastUsed[str] = LastUsed(10, len)
    for key, value in {"a": "four", "b": "four", "c": "elevenelevn", "d": "two"}.items():
        assert kept.put(key, value) == value
    assert [kept.get(key) for key in "abcd"] == [None, "four", None, "two"]


def test_the_same_key_is_weighed_once() -> None:
    kept: LastUsed[str] = LastUsed(10, len)
    for _ in range(5):
        kept.put("a", "four")
    kept.put("b", "sixsix")
    assert (kept.get("a"), kept.get("b")) == ("four", "sixsix")
