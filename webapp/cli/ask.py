"""`ask`: a question, and its answer with the lines it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webapp.cli.common import Run, command, groups_option, progress

if TYPE_CHECKING:
    from webapp.core.answering.model import Answer


@click.command()
@click.argument("question")
@click.option("--role", type=click.Choice(["customer", "agent", "editor", "admin"]), default="customer")
@groups_option("Groups of the reader who asks")
@click.option("--model", metavar="NAME", help="A registered model; default: the setting")
@command
def ask(run: Run, question: str, role: str, groups: frozenset[str], model: str | None) -> None:
    """Answer QUESTION from the collection, or say why not."""
    from webapp.core.answering.question import checked
    from webapp.core.retrieval.model import Reader, Role
    from webapp.services.clients import model_client
    from webapp.services.model import AskOptions

    checked(question)  # it and the model, before an index is built for them
    model_client(run.settings, model)
    desk = run.desk(brief=True)
    with progress() as report:
        desk.ensure_index(report)
    answer = desk.ask(question, Reader(Role(role), groups), AskOptions(model=model))
    run.say(answer.model_dump(mode="json"), _words(answer))


def _words(answer: Answer) -> str:
    if answer.abstained:
        near = ", ".join(page.title for page in answer.nearest)
        return f"{answer.answer}\n({answer.reason.value})" + (f"\nNearest pages: {near}" if near else "")
    said = [f"{one.text} {''.join(f'[{marker}]' for marker in one.markers)}" for one in answer.statements]
    cited = [f"[{one.marker}] {one.title} ({one.label}) [{one.chunk_id}]" for one in answer.citations]
    return "\n".join([*said, "", *cited])
