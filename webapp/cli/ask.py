"""`ask`: a question, and its answer with the lines it came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command, groups_option, progress

if TYPE_CHECKING:
    from webapp.core.answering.model import Answer


def _as_pairs(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    if wrong := [one for one in given if "=" not in one]:
        raise click.BadParameter(f"write NAME=VALUE, not {wrong[0]!r}", context, option)
    pairs = (one.partition("=") for one in given)
    return {name.strip(): value for name, _, value in pairs}


@click.command()
@click.argument("question")
@click.option("--role", type=click.Choice(["customer", "agent", "editor", "admin"]), default="customer")
@groups_option("Groups of the reader who asks")
@click.option("--model", metavar="NAME", help="A registered model; default: the setting")
@click.option(
    "--filter",
    "filters",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_as_pairs,
    help="Documents with this value alone, by a filter of the collection; for each filter once",
)
@click.option("--follows", metavar="ID", help="The answer whose question this one leans on: And for accessories?")
@click.option("--lang", "only_lang", metavar="CODE", help="Documents of this language alone, such as bn")
@command
def ask(run: Run, question: str, role: str, groups: frozenset[str], **wishes: Any) -> None:
    """Answer QUESTION from the collection, or say why not."""
    from webapp.core.answering.question import checked
    from webapp.core.retrieval.model import Reader, Role
    from webapp.services.clients import model_client
    from webapp.services.model import AskOptions

    checked(question)  # it and the model, before an index is built for them
    model_client(run.settings, wishes["model"])
    services = run.services(brief=True)
    desk, reader = services.desk(), Reader(Role(role), groups)
    with progress() as report:
        desk.ensure_index(report)
    follows = services.followed(wishes["follows"], desk, reader) if wishes["follows"] else None
    options = AskOptions(wishes["only_lang"], wishes["filters"], model=wishes["model"], follows=follows)
    answer = desk.ask(question, reader, options)
    run.say(answer.model_dump(mode="json"), _words(answer))


def _words(answer: Answer) -> str:
    return "\n".join([*_understood(answer), _answered(answer)])


def _understood(answer: Answer) -> Iterator[str]:
    limits = [f"{name} = {value}" for name, value in answer.filters.items()]
    if answer.only_lang:
        limits.append(f"language = {answer.only_lang}")
    if answer.follows:
        yield f"Asked after: {answer.follows.question}"
    if answer.read_as:
        yield f"Read as: {answer.read_as}"
    if answer.read_as == "" and answer.abstained:
        yield "This looks like Bangla in Latin letters, and could not be read: type it in Bangla letters or in English."
    if limits:
        yield f"Only: {', '.join(limits)}"


def _answered(answer: Answer) -> str:
    if answer.abstained:
        near = ", ".join(page.title for page in answer.nearest)
        return f"{answer.answer}\n({answer.reason.value})" + (f"\nNearest pages: {near}" if near else "")
    said = [f"{one.text} {''.join(f'[{marker}]' for marker in one.markers)}" for one in answer.statements]
    cited = [f"[{one.marker}] {one.title} ({one.label}) [{one.chunk_id}]" for one in answer.citations]
    return "\n".join([*said, "", *cited])
