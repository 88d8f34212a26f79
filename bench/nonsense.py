"""What becomes of the replies of a model that talks nonsense: nothing may pass the checks.

Asks the golden questions of the collections through a model server, counts outcomes by reason, and exits 1 when a
reply became an answer. With a real model that is no fault; with one of random weights (docs/quality.md) it is.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from webapp.core.answering.model import Answer, Reason, Trace
from webapp.core.documents.config import GOLDEN_FILE
from webapp.core.evaluation.questions import read_questions
from webapp.core.retrieval.model import Reader
from webapp.services.desk import Desk
from webapp.services.root import Services
from webapp.settings import read_settings

CORPUS = Path(__file__).parents[1] / "corpus"


@click.command(help=__doc__)
@click.argument("collections", nargs=-1, default=("kestrel", "handbook", "cityops"))
@click.option("--base-url", default="http://127.0.0.1:8080/v1", help="Address of the model server")
@click.option("--show", is_flag=True, help="Print what the model said")
def main(collections: tuple[str, ...], base_url: str, show: bool) -> None:
    """Ask, print, and exit 1 when a reply became an answer."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as instance:
        for name in collections:
            for answer, trace in replies(name, Path(instance), base_url):
                outcomes[answer.reason.value if trace.prompt else "model not called"] += 1
                if show and trace.prompt:
                    click.echo(f"{answer.question}\n  {trace.raw_reply!r}\n  {answer.reason.value}: {trace.detail}")
    for reason, count in outcomes.most_common():
        click.echo(f"{count:4} {reason}")
    sys.exit(outcomes[Reason.OK.value] > 0)


def replies(collection: str, instance: Path, base_url: str) -> Iterator[tuple[Answer, Trace]]:
    """Ask every golden question of a collection of the corpus."""
    settings = read_settings(
        collection=collection, instance=instance, model="openai_compatible", model_base_url=base_url, model_timeout=120
    )
    desk: Desk = Services.open(settings, alone=True).desk()
    desk.ensure_index(lambda stage, done, of: None)
    for question in read_questions(CORPUS / collection / GOLDEN_FILE):
        yield desk.try_out(question.question, Reader())


if __name__ == "__main__":
    main()
