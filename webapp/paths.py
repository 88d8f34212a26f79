"""Templates, static files and sample collections: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def shared(name: str) -> Path:
    """Return the folder `templates`, `static` or `corpus` that travels with the program."""
    beside = PACKAGE.parent / name
    in_checkout = (PACKAGE.parent / "pyproject.toml").exists() and beside.is_dir()
    return beside if in_checkout else PACKAGE / "_shared" / name
