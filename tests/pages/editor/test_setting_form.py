"""The forms come from the registry, and what can't be used is said by its field, in words."""

from __future__ import annotations

import pytest

from webapp.core.chunking.base import strategies
from webapp.core.evaluation.compare import DEFAULT_SETTINGS, Setting
from webapp.pages.editor.setting_form import KEYS, Slot, Typed, code, from_codes, from_form, from_settings, read_slot
from webapp.pages.editor.strategy_words import DESCRIPTIONS, NAMES, OPTIONS

pytestmark = pytest.mark.usefixtures("in_english")


def errors_of(slot: Slot) -> dict[str, str]:
    return {one.name: one.error for choice in slot.choices for one in choice.options if one.error}


def fixed(size: str, overlap: str) -> Slot:
    return read_slot("a", Typed("fixed", {"size": size, "overlap": overlap}))


def test_every_strategy_can_be_chosen_with_every_option_of_its_model() -> None:
    slot = read_slot("b", Typed())
    assert [choice.strategy for choice in slot.choices] == [part.name for part in strategies.all()]
    for choice, part in zip(slot.choices, strategies.all(), strict=True):
        defaults = {f"b-{part.name}-{name}": str(field.default) for name, field in part.options.model_fields.items()}
        assert {option.name: option.value for option in choice.options} == defaults
    assert (slot.setting, slot.wrong, slot.name) == (None, False, "")


def test_every_word_of_the_registry_is_known_to_translators() -> None:
    names, described = {str(one) for one in NAMES}, {str(one) for one in DESCRIPTIONS}
    for part in strategies.all():
        assert part.name in names
        assert part.description in described
        for name, field in part.options.model_fields.items():
            assert name in OPTIONS
            assert field.description in described


@pytest.mark.parametrize(
    ("size", "overlap", "field", "words"),
    [
        ("100", "100", "a-fixed-overlap", "smaller than the size"),
        ("100", "101", "a-fixed-overlap", "smaller than the size"),
        ("0", "0", "a-fixed-size", "at least 1"),
        ("-5", "0", "a-fixed-size", "at least 1"),
        ("100", "-1", "a-fixed-overlap", "at least 0"),
        ("", "0", "a-fixed-size", "whole number"),
        ("  ", "0", "a-fixed-size", "whole number"),
        ("ten", "0", "a-fixed-size", "whole number"),
        ("1.5", "0", "a-fixed-size", "whole number"),
        ("9" * 5000, "0", "a-fixed-size", "whole number"),
    ],
)
def test_what_can_not_be_used_is_said_by_its_field_and_kept(size: str, overlap: str, field: str, words: str) -> None:
    slot = fixed(size, overlap)
    assert slot.setting is None
    assert slot.wrong
    assert list(errors_of(slot)) == [field]
    assert words in errors_of(slot)[field]
    assert [option.value for option in slot.choices[0].options] == [size, overlap]


def test_two_wrong_fields_have_two_messages() -> None:
    assert set(errors_of(fixed("ten", "-1"))) == {"a-fixed-size", "a-fixed-overlap"}


def test_a_strategy_or_option_that_is_not_there_is_said_of_the_setting() -> None:
    assert "no strategy of this name" in read_slot("a", Typed("nonsense")).error
    assert "no option of that name" in read_slot("a", Typed("fixed", {"colour": "3"})).error
    assert "no option of that name" in read_slot("a", Typed("paragraph", {"size": "3"})).error


def test_digits_of_any_script_and_blanks_around_them_are_read() -> None:
    assert fixed(" ১০০ ", "٢٠").setting == Setting("fixed", {"size": 100, "overlap": 20})


def test_options_that_are_not_given_have_their_defaults() -> None:
    assert read_slot("a", Typed("fixed")).setting == Setting("fixed", {"size": 200, "overlap": 40})


def test_an_address_says_settings_shortly_and_back() -> None:
    codes = [code(setting) for setting in DEFAULT_SETTINGS]
    assert codes == ["paragraph", "sentence,max_chars=100", "fixed,size=100,overlap=20", "fixed,size=100,overlap=40"]
    slots = [read_slot(key, typed) for key, typed in zip(KEYS, from_codes(codes), strict=True)]
    assert tuple(slot.setting for slot in slots) == DEFAULT_SETTINGS
    assert from_settings(DEFAULT_SETTINGS) == from_codes(codes)
    assert from_codes(["paragraph"] * 9) == (Typed("paragraph"),) * 4
    assert from_codes([]) == (Typed(),) * 4


def test_a_form_is_read_for_the_chosen_strategies_alone() -> None:
    form = {"a": "fixed", "a-fixed-size": "9", "a-words-size": "3", "b": "", "c": "paragraph"}
    assert from_form(form) == (Typed("fixed", {"size": "9"}), Typed(), Typed("paragraph"), Typed())
