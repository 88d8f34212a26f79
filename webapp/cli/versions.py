"""`versions` and `rollback`: the index versions that can be served, and going back to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webapp.cli.common import Run, command

if TYPE_CHECKING:
    from webapp.core.retrieval.engine import Manifest


@click.command()
@command
def versions(run: Run) -> None:
    """List the index versions, newest first."""
    desk = run.desk()
    live = desk.served()
    rows = [_row(manifest, live is not None and manifest.id == live.id) for manifest in desk.versions()]
    lines = [
        f"{'*' if row['live'] else ' '} {row['version']}  {row['strategy']}  {row['chunks']} chunks" for row in rows
    ]
    run.say({"collection": desk.name, "versions": rows}, "\n".join(lines) or "no version yet; run: evidencedesk index")


@click.command()
@click.argument("version")
@command
def rollback(run: Run, version: str) -> None:
    """Serve VERSION again, until the files change."""
    desk = run.desk()
    manifest = desk.rollback(version)
    run.say({"collection": desk.name} | _row(manifest, True), f"{desk.name} is served from {manifest.id} now")


def _row(manifest: Manifest, live: bool) -> dict[str, Any]:
    names = ("created_at", "strategy", "options", "embedder", "documents", "sections", "chunks")
    return {"version": manifest.id, "live": live} | manifest.model_dump(mode="json", include=set(names))
