"""What the commands share: their common options, output, progress."""

from __future__ import annotations

import functools
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webapp.web.printable import printable, printable_json

if TYPE_CHECKING:
    from webapp.services.desk import Desk
    from webapp.services.root import Services
    from webapp.settings import Settings

Report = Callable[[str, int, int], None]  # stage, done, of

FOUND_WRONG = 1  # exit code: what was to be checked was found wrong
QUIET_SECONDS = 1.0  # what takes no longer needs no progress bar


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a command."""

    settings: Settings
    json: bool
    alone: bool  # a collection was named: that one and no other

    def services(self, alone: bool = True, brief: bool = False) -> Services:
        """Return the services, by default with the one collection alone."""
        from webapp.services.root import Services

        return Services.open(self.settings, alone, brief)

    def desk(self, brief: bool = False) -> Desk:
        """Return the desk of the collection that was named, else of the default one."""
        return self.services(brief=brief).desk()

    def say(self, data: Mapping[str, Any], words: str) -> None:
        """Print the result: one JSON object, or words for people, in which no document speaks to the terminal."""
        if self.json:
            words = printable_json(json.dumps(data, ensure_ascii=False, default=_plain))
        click.echo(printable(words).encode("utf-8", "replace"))


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command: add the options that all have, and hand over a `Run` in their place."""

    @click.option("--collection", metavar="NAME_OR_DIR", help="A collection of the corpus, or any folder of Markdown")
    @click.option("--instance", metavar="DIR", type=click.Path(path_type=Path), help="Where the program keeps its data")
    @click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, and nothing else there")
    @functools.wraps(function)
    def wrapped(collection: str | None, instance: Path | None, as_json: bool, **options: Any) -> Any:
        from webapp.settings import read_settings

        settings = read_settings(collection=collection, instance=instance, **_settings_of(options))
        _begin_logging(settings)
        return function(Run(settings, as_json, collection is not None), **options)

    return wrapped


def _begin_logging(settings: Settings) -> None:
    logging.basicConfig(stream=sys.stderr, level=settings.log_level)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_PlainLines("%(levelname)s %(message)s"))
    logging.getLogger("alembic").setLevel(logging.WARNING)  # its news are for developers
    if settings.log_format == "json":
        from webapp.web.logs import JsonLines  # most commands need nothing of the web

        for handler in logging.getLogger().handlers:
            handler.setFormatter(JsonLines())


class _PlainLines(logging.Formatter):
    """A message is one line, and no name of a file in it speaks to the terminal or makes up further lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return " ".join(super().formatMessage(record).splitlines())

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and below it the traceback of an error."""
        return printable(super().format(record))


def _settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """Options named after a setting take its place."""
    return {name: options.pop(name) for name in ("host", "port") if name in options}


def groups_option(help_: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the option that names groups of readers, as a set."""
    return click.option("--groups", default="", metavar="A,B", callback=_as_set, help=help_)


def _as_set(_context: click.Context, _option: click.Parameter, given: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, given.split(","))))


def strategy_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a chunking strategy; `chosen_options` gathers them."""
    for name in ("max-chars", "overlap", "size"):
        function = click.option(f"--{name}", type=int, help=f"Option {name.replace('-', '_')} of the strategy")(
            function
        )
    return click.option("--strategy", metavar="S", help="A registered chunking strategy")(function)


def chosen_options(**given: int | None) -> dict[str, int]:
    """Return the strategy's options that were given."""
    return {name: value for name, value in given.items() if value is not None}


@contextmanager
def progress() -> Iterator[Report]:
    """Show how far work has come, on stderr: a bar on a terminal, elsewhere a line now and then."""
    if sys.stderr.isatty():
        with _bars() as report:
            yield report
    else:
        yield _Lines()


@contextmanager
def _bars() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}
        begun: dict[str, float] = {}

        def report(stage: str, done: int, of: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, rate="")
                begun[stage] = time.monotonic()
            rate = done / max(time.monotonic() - begun[stage], 0.001)
            bars.update(tasks[stage], completed=done, total=of, rate=f"{rate:,.0f}/s")

        yield report


class _Lines:
    """A line when a second has gone by, then at most one every five."""

    def __init__(self) -> None:
        self._next = time.monotonic() + QUIET_SECONDS
        self._begun: dict[str, float] = {}

    def __call__(self, stage: str, done: int, of: int) -> None:
        now = time.monotonic()
        begun = self._begun.setdefault(stage, now)
        if now >= self._next:
            self._next = now + 5
            click.echo(f"{stage}: {done} of {of}{pace(done, of, now - begun)}", err=True)


def pace(done: int, of: int, seconds: float) -> str:
    """Return how fast work goes, and how long the rest of it may take; nothing before there is something to go by."""
    if not done or seconds < QUIET_SECONDS:
        return ""
    left = round(seconds * (of - done) / done)
    return f", {done / seconds:,.1f}/s, about {timedelta(seconds=left)} left"


def _plain(value: Any) -> Any:
    """Turn what JSON doesn't know into what it does."""
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return str(value)
