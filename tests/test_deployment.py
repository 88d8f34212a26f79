"""What docs/operations.md tells people to install holds together with the program; what was tried for real stands
there, and `python -m bench.load` runs behind the nginx that it describes."""

from __future__ import annotations

import ast
import re
import tomllib
from configparser import RawConfigParser
from pathlib import Path

import click
import pytest

from bench.front import documented
from webapp.cli import cli
from webapp.settings import PREFIX, SECRETS, Settings

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
CONTAINER = (ROOT / "docs" / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
NAMES = cli.list_commands(click.Context(cli))
STEPS = [line.split(maxsplit=1) for line in CONTAINER.splitlines() if line and not line.startswith("#")]


def unit() -> str:
    found = re.search(r"^```\n(\[Unit\].*?)^```", OPERATIONS, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("text", [OPERATIONS, CONTAINER], ids=["operations", "container"])
def test_every_setting_that_is_named_is_one(text: str) -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    known |= {f"{PREFIX}{name.upper()}_FILE" for name in SECRETS}
    assert set(re.findall(rf"{PREFIX}[A-Z_]+[A-Z]", text)) <= known


def test_the_unit_starts_a_command_that_is_there_and_leaves_it_time_to_stop() -> None:
    parser = RawConfigParser(strict=False)  # Environment stands in it several times
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit())
    service = parser["Service"]
    assert "serve" in NAMES
    assert service["ExecStart"].split()[1] == "serve"
    assert int(service["TimeoutStopSec"]) > 30
    assert service["StateDirectory"] == "evidencedesk"
    assert service["ProtectSystem"] == "strict"


def test_the_container_copies_what_make_wheel_leaves_and_runs_what_is_there() -> None:
    copied = next(rest.split()[:-1] for step, rest in STEPS if step == "COPY")
    name = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    assert copied == ["requirements.lock", f"dist/{name}-*.whl"]
    assert (ROOT / "requirements.lock").exists()
    last = dict(STEPS)
    assert ast.literal_eval(last["CMD"])[0] == "evidencedesk"
    assert ast.literal_eval(last["CMD"])[1] in NAMES
    assert last["USER"] == "evidencedesk"
    check = last["HEALTHCHECK"].partition("CMD ")[2]
    compile(ast.literal_eval(check)[2], "HEALTHCHECK", "exec")


def test_the_container_is_run_with_the_folders_that_it_has() -> None:
    last = dict(STEPS)
    folders = ast.literal_eval(last["VOLUME"])
    assert re.findall(r" -v [^:\s]+:([\w/]+)", OPERATIONS) == folders
    given = dict(pair.split("=") for pair in last["ENV"].split())
    assert given["EVIDENCEDESK_COLLECTION"] in folders
    assert Path(given["EVIDENCEDESK_INSTANCE"]).parent == Path(folders[0])


def test_nginx_waits_longer_than_the_program_and_takes_what_it_takes() -> None:
    block, given = documented(), Settings()
    assert int(re.search(r"client_max_body_size (\d+)m", block)[1]) * 1_000_000 >= 2 * given.upload_max_bytes  # type: ignore[index]
    assert int(re.search(r"proxy_read_timeout (\d+)s", block)[1]) > given.request_seconds  # type: ignore[index]
    assert block.count("{") == block.count("}")
    for header in ("Host", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-For"):
        assert f"proxy_set_header {header} " in block
