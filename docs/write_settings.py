"""Write docs/settings.md from the settings class, so that the page can't differ from the program."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from webapp.settings import PREFIX, SECRETS, Settings

PAGE = Path(__file__).with_name("settings.md")

HEAD = f"""# Settings

Set in the environment, read once at start. An empty value counts as not set; a value that can't be used stops the
program with a line that names it. The options of `evidencedesk` (`--collection`, `--instance`, `--port`, …) go before
the environment. Each secret can stand in a file instead: `{PREFIX}<NAME>_FILE` holds the file's path.

This page is written by `make docs`.

| setting | default | meaning |
|---|---|---|
"""


def page() -> str:
    """Return the whole page."""
    return HEAD + "".join(_row(name, field) for name, field in Settings.model_fields.items())


def _row(name: str, field: FieldInfo) -> str:
    or_file = f" or `{PREFIX}{name.upper()}_FILE`" if name in SECRETS else ""
    meaning = (field.description or "").replace("|", "\\|")
    return f"| `{PREFIX}{name.upper()}`{or_file} | {_default(name, field)} | {meaning} |\n"


def _default(name: str, field: FieldInfo) -> str:
    if field.default_factory is not None:
        return f"the program's own `{name}/`"
    value = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    words = ",".join(value) if isinstance(value, tuple) else str(value)
    return f"`{words}`" if words else "none"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
