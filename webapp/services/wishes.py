"""What an asker may choose beside the question: filters and a language, from what there is for this reader alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from webapp.core.documents.config import CollectionConfig
from webapp.services.model import AskOptions, InvalidWish
from webapp.services.sources import Shelf


def choices(config: CollectionConfig, shelf: Shelf) -> dict[str, tuple[str, ...]]:
    """Return the values of each declared filter among the documents that can be evidence for the reader.

    A filter that none of them has is left out.
    """
    if not config.filters:
        return {}
    evidence = [stored.attributes for stored in shelf.evidence()]
    values = {name: {had[name] for had in evidence if had.get(name)} for name in config.filters}
    return {name: tuple(sorted(had, key=str.casefold)) for name, had in values.items() if had}


def granted(options: AskOptions, config: CollectionConfig, shelf: Shelf) -> AskOptions:
    """Return the options with filters and language as the documents spell them; empty ones are no wish.

    Raises InvalidWish for a filter, a value or a language that there is not.
    """
    wished = {name: value.strip() for name, value in options.attributes.items() if value.strip()}
    offered = choices(config, shelf) if wished else {}
    attributes = {name: _value(name, value, offered) for name, value in wished.items()}
    return replace(options, attributes=attributes, only_lang=_language(options.only_lang, shelf))


def _value(name: str, value: str, offered: Mapping[str, tuple[str, ...]]) -> str:
    if name not in offered:
        raise InvalidWish(f"there is no filter '{name}' here; there {_are(offered)}")
    found = _spelt(value, offered[name])
    if found is None:
        raise InvalidWish(f"no document has {name} '{value}'; there {_are(offered[name])}")
    return found


def _language(wished: str | None, shelf: Shelf) -> str | None:
    if not wished:
        return None
    languages = sorted({stored.lang for stored in shelf.evidence()})
    found = _spelt(wished, languages)
    if found is None:
        raise InvalidWish(f"no document is in the language '{wished}'; there {_are(languages)}")
    return found


def _spelt(value: str, offered: Iterable[str]) -> str | None:
    """Return the offered value that was meant: itself, else the same in another case."""
    offered = list(offered)
    alike = [one for one in offered if one.casefold() == value.casefold()]
    return value if value in offered else next(iter(alike), None)


def _are(offered: Iterable[str]) -> str:
    named = ", ".join(offered)
    return f"are: {named}" if named else "are none"
