"""Fill the tables of docs/*.md from the program, so that the pages can't differ from it: `make docs`.

A table stands between `<!-- table: NAME -->` and `<!-- end -->`; everything outside is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from webapp.cli import cli
from webapp.core.answering.models.base import models
from webapp.core.chunking.base import strategies
from webapp.core.documents.config import CollectionConfig
from webapp.core.registry import Registry
from webapp.core.retrieval.embedders.base import embedders
from webapp.core.retrieval.engines.base import engines
from webapp.core.retrieval.rerankers.base import rerankers
from webapp.settings import PREFIX, SECRETS, Settings

FOLDER = Path(__file__).parent
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
COMMON = ("collection", "instance", "as_json")  # options of every command

P = TypeVar("P", bound=click.Parameter)


def pages() -> list[Path]:
    """Return the pages that may hold tables."""
    return sorted(FOLDER.rglob("*.md"))


def filled(text: str) -> str:
    """Return a page's text with its tables written anew."""
    return TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


def _settings() -> str:
    rows = ((_variable(name), _default(field), field.description) for name, field in Settings.model_fields.items())
    return _table(("setting", "default", "meaning"), rows)


def _variable(name: str) -> str:
    plain = f"`{PREFIX}{name.upper()}`"
    return f"{plain} or `{PREFIX}{name.upper()}_FILE`" if name in SECRETS else plain


def _collection() -> str:
    return _table(("key", "default", "meaning"), _options(CollectionConfig))


def _parts(registry: Registry[Any]) -> str:
    rows = ((f"`{part.name}`", part.description, _options_in_words(part.options)) for part in registry.all())
    return _table(("name", "what it does", "options (default)"), rows)


def _options_in_words(model: type[BaseModel]) -> str:
    return "; ".join(f"{name} ({default}): {meaning}" for name, default, meaning in _options(model)) or "none"


def _options(model: type[BaseModel]) -> Iterable[tuple[str, str, str]]:
    return ((f"`{name}`", _default(field), field.description or "") for name, field in model.model_fields.items())


def _commands() -> str:
    return _table(("command", "what it does", "its own options"), _rows_of(cli, "evidencedesk"))


def _rows_of(group: click.Group, called: str) -> Iterator[tuple[str, str, str]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _rows_of(command, f"{called} {name}")
        elif command:
            yield (_usage(command, f"{called} {name}"), (command.help or "").replace("\n", " "), _flags(command))


def _usage(command: click.Command, called: str) -> str:
    arguments = [argument.make_metavar(click.Context(command)) for argument in _params(command, click.Argument)]
    return f"`{' '.join([called, *arguments])}`"


def _flags(command: click.Command) -> str:
    own = (option for option in _params(command, click.Option) if option.name not in COMMON)
    return "; ".join(f"`{option.opts[0]}`: {option.help or _choices(option)}" for option in own) or "none"


def _choices(option: click.Option) -> str:
    return f"`{option.make_metavar(click.Context(cli))}`"


def _params(command: click.Command, kind: type[P]) -> list[P]:
    return [param for param in command.params if isinstance(param, kind)]


def _default(field: FieldInfo) -> str:
    """Return the default as one would type it; "none" where there is nothing, "its own" where it depends."""
    if field.is_required():
        return "must be given"
    if field.default_factory not in (None, dict):
        return "the program's own"
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    words = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"`{words}`" if words and field.default_factory is None else "none"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str | None, ...]]) -> str:
    return "".join(map(_line, [head, ("---",) * len(head), *rows]))


def _line(cells: Iterable[str | None]) -> str:
    return f"| {' | '.join((cell or '').replace('|', chr(92) + '|') for cell in cells)} |\n"


TABLES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "commands": _commands,
        "settings": _settings,
        "collection": _collection,
        "strategies": lambda: _parts(strategies),
        "embedders": lambda: _parts(embedders),
        "rerankers": lambda: _parts(rerankers),
        "engines": lambda: _parts(engines),
        "models": lambda: _parts(models),
    }
)


def main() -> None:
    """Fill the pages; with --check, write nothing and exit 1 with the names of those that would change."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages()}
    stale = {page: filled(text) for page, text in texts.items() if filled(text) != text}
    if "--check" in sys.argv:
        sys.exit("".join(f"{page.name}: run `make docs`\n" for page in stale) or None)
    for page, text in stale.items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
