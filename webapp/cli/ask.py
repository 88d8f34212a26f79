"""`ask`: a question, and its answer with the lines it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webapp.cli.common import Run, command, progress

if TYPE_CHECKING:
    from webapp.core.answering.model import Answer


@click.command()
@click.argument("question")
@click.option("--role", type=click.Choice(["customer", "agent", "editor", "admin"]), default="customer")
@click.option("--groups", default="", metavar="A,B", help="Groups of the reader who asks")
@click.option("--model", metavar="NAME", help="A registered model; default: the setting")
@command
def ask(run: Run, question: str, role: str, groups: str, model: str | None) -> None:
    """Answer QUESTION from the collection, or say why not."""
    from webapp.core.retrieval.model import Reader, Role
    from webapp.services.model import AskOptions

    desk = run.desk(brief=True)
    with progress() as report:
        desk.ensure_index(report)
    named = frozenset(filter(None, (group.strip() for group in groups.split(","))))
    answer = desk.ask(question, Reader(Role(role), named), AskOptions(model=model))
    run.say(answer.model_dump(mode="json"), _words(answer))


def _words(answer: Answer) -> str:
    if answer.abstained:
        near = ", ".join(page.title for page in answer.nearest)
        return f"{answer.answer}\n({answer.reason.value})" + (f"\nNearest pages: {near}" if near else "")
    said = [f"{one.text} {''.join(f'[{marker}]' for marker in one.markers)}" for one in answer.statements]
    cited = [f"[{one.marker}] {one.title} ({one.label}) [{one.chunk_id}]" for one in answer.citations]
    return "\n".join([*said, "", *cited])
