"""`backup` and `restore`: the instance folder as it is, and back, while it is being served."""

from __future__ import annotations

from pathlib import Path

import click

from webapp.cli.common import Run, command
from webapp.services.backup import BackupReport, back_up
from webapp.services.backup import restore as put_back

_folder = click.Path(path_type=Path)


@click.command()
@click.argument("target", type=_folder)
@click.option("--documents", is_flag=True, help="Also the files of the collections")
@command
def backup(run: Run, target: Path, documents: bool) -> None:
    """Copy database, indexes, vectors and key to the new folder TARGET; the server goes on."""
    report = back_up(run.settings, target, _served(run) if documents else None)
    run.say(_row(report), f"{report.files} files, {report.bytes:,} bytes in {report.place}{_missing(report)}")


@click.command()
@click.argument("source", type=_folder)
@click.option("--force", is_flag=True, help="Replace what the instance folder holds")
@click.option("--documents", is_flag=True, help="Also the files of the collections, over those that are there")
@command
def restore(run: Run, source: Path, force: bool, documents: bool) -> None:
    """Put back the backup in the folder SOURCE, once it has been found whole."""
    report = put_back(run.settings, source, force, _served(run) if documents else None)
    words = f"{run.settings.instance} is as it was on {report.made_at:%Y-%m-%d at %H:%M} UTC; restart the server"
    run.say(_row(report), words + _missing(report))


def _served(run: Run) -> dict[str, Path]:
    return {desk.name: desk.folder for desk in run.services(alone=run.alone).desks()}


def _missing(report: BackupReport) -> str:
    return "" if report.database else "; there was no database yet"


def _row(report: BackupReport) -> dict[str, object]:
    return {
        "place": report.place,
        "made_at": report.made_at.isoformat(),
        "files": report.files,
        "bytes": report.bytes,
        "collections": report.collections,
        "database": report.database,
    }
