"""The forms in which settings are chosen, drawn from the registry; what was typed comes back with its errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from webapp.core.chunking.base import Strategy, strategies
from webapp.core.evaluation.compare import Setting
from webapp.core.registry import Part, UnknownPart
from webapp.pages.editor.strategy_words import description, label, option_name, strategy_name
from webapp.web.i18n import gettext as _
from webapp.web.i18n import number

KEYS = ("a", "b", "c", "d")  # the settings' names in forms, columns and addresses


@dataclass(frozen=True, slots=True)
class Typed:
    """One setting as it was typed; no strategy: not used."""

    strategy: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a strategy's form."""

    name: str  # of the form's field
    label: str
    hint: str
    value: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A strategy that can be chosen, with its fields."""

    strategy: str
    name: str
    description: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the settings of the page. `setting` is there when what was typed can be used."""

    key: str
    number: int
    name: str  # `fixed 100/20`, as far as it is known; "" when not used
    strategy: str
    setting: Setting | None
    error: str
    choices: tuple[Choice, ...]

    @property
    def wrong(self) -> bool:
        """Tell whether something in it must be mended first."""
        return bool(self.error) or any(option.error for choice in self.choices for option in choice.options)


def from_form(form: Mapping[str, str]) -> tuple[Typed, ...]:
    """Read the settings of a sent form."""
    return tuple(_from_form(form, key) for key in KEYS)


def from_codes(codes: Sequence[str]) -> tuple[Typed, ...]:
    """Read the settings of an address; those that it doesn't name are not used, further ones ignored."""
    typed = [_from_code(code) for code in codes[: len(KEYS)]]
    return tuple(typed + [Typed()] * (len(KEYS) - len(typed)))


def from_settings(settings: Sequence[Setting]) -> tuple[Typed, ...]:
    """Return the settings as an editor would have typed them."""
    return from_codes([code(setting) for setting in settings])


def code(setting: Setting) -> str:
    """Return how a setting is written in addresses: `fixed,size=100,overlap=20`."""
    return ",".join([setting.strategy, *(f"{name}={value}" for name, value in setting.options.items())])


def read_slot(key: str, typed: Typed) -> Slot:
    """Check what was typed for one setting, and draw its form with it."""
    setting, errors = _check(typed)
    choices = tuple(
        _choice(key, part, typed.options if part.name == typed.strategy else {}, errors) for part in strategies.all()
    )
    name = label(setting) if setting else strategy_name(typed.strategy)
    return Slot(key, KEYS.index(key) + 1, name, typed.strategy, setting, errors.get("", ""), choices)


def _from_form(form: Mapping[str, str], key: str) -> Typed:
    strategy = form.get(key, "")
    start = f"{key}-{strategy}-"
    return Typed(strategy, {name.removeprefix(start): form[name] for name in form if name.startswith(start)})


def _from_code(text: str) -> Typed:
    strategy, *options = text.split(",")
    return Typed(strategy.strip(), {name.strip(): value for name, _, value in (one.partition("=") for one in options)})


def _check(typed: Typed) -> tuple[Setting | None, dict[str, str]]:
    """Return the setting, or the errors by option; "" stands for the setting as a whole."""
    if not typed.strategy:
        return None, {}
    try:
        part = strategies.get(typed.strategy)
        parsed = part.parse({name: _latin_digits(value.strip()) for name, value in typed.options.items()})
    except UnknownPart:
        return None, {"": _("There is no strategy of this name; choose one from the list.")}
    except ValidationError as problem:
        return None, _errors(problem, tuple(part.options.model_fields))
    return Setting(typed.strategy, parsed.model_dump()), {}


def _choice(key: str, part: Part[Strategy], values: Mapping[str, str], errors: Mapping[str, str]) -> Choice:
    options = tuple(
        Option(
            f"{key}-{part.name}-{name}",
            option_name(name),
            description(field.description or ""),
            number(values.get(name, str(field.default))),
            errors.get(name, "") if name in values else "",
        )
        for name, field in part.options.model_fields.items()
    )
    return Choice(part.name, strategy_name(part.name), description(part.description), options)


def _errors(problem: ValidationError, options: Sequence[str]) -> dict[str, str]:
    """Return the errors by option; one that is about several stands by the last of them."""
    errors: dict[str, str] = {}
    for one in problem.errors(include_url=False):
        name = str(one["loc"][0]) if one["loc"] else options[-1]
        errors.setdefault(name if name in options else "", _words(one["type"], one.get("ctx", {}), one["input"]))
    return errors


def _words(kind: str, context: Mapping[str, Any], typed: Any) -> str:
    """Say what is wrong with one option, in the reader's language."""
    match kind:
        case "greater_than_equal":
            return _("Give a number of at least %(least)s.", least=number(context["ge"]))
        case "less_than_equal":
            return _("Give a number of at most %(most)s.", most=number(context["le"]))
        case "value_error":
            return _about_several(context, typed)
        case "extra_forbidden":
            return _("This strategy has no option of that name.")
    return _("Give a whole number in digits, such as %(example)s.", example=number(100))


def _about_several(context: Mapping[str, Any], typed: Mapping[str, Any]) -> str:
    return _("The overlap must be smaller than the size.") if "overlap" in typed else str(context["error"])


def _latin_digits(text: str) -> str:
    """Let numbers be typed in any script's digits."""
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
