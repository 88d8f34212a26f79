"""The command `evidencedesk`. Every command is a module of its own, imported when it is called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from webapp.services.problems import plain_words

COMMANDS = {
    "serve": "serve",
    "worker": "serve",
    "index": "index",
    "ask": "ask",
    "chunk": "chunk",
    "convert": "convert",
    "compare": "compare",
    "verify": "verify",
    "evaluate": "evaluate",
    "calibrate": "evaluate",
    "versions": "versions",
    "rollback": "versions",
    "users": "users",
    "backup": "backup",
    "restore": "backup",
    "doctor": "doctor",
}
COULD_NOT = 2


class _Commands(click.Group):
    """Knows the commands by name, and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"webapp.cli.{COMMANDS[cmd_name]}"), cmd_name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="evidencedesk")
def cli() -> None:
    """Answers from an organisation's own documents, each with the exact lines it came from."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 found wrong what was to be checked, 2 could not."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    try:
        result = cli.main(list(arguments), prog_name="evidencedesk", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return COULD_NOT
    except click.UsageError as error:
        return _fail(f"{error.format_message()} (evidencedesk --help shows what there is)")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped")
    except Exception as error:
        words = plain_words(error)
        if words is None:
            raise
        return _fail(words)
    return result if isinstance(result, int) else 0


def _fail(words: str) -> int:
    """Say it in one plain line: names of files and what stands in them come from anybody."""
    from webapp.web.printable import printable

    words = printable(" ".join(words.splitlines()))
    click.echo(f"evidencedesk: {words}", err=True)
    return COULD_NOT
