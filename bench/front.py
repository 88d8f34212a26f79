"""The server as docs/operations.md sets it up: processes of `serve`, and nginx in front of them with its settings."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.server import Server

ROOT = Path(__file__).parents[1]
WORKERS = 2
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
_AROUND = """
{user} worker_processes 1; pid {folder}/nginx.pid;
events {{ worker_connections 2048; }}
http {{
    {temporary}
    log_format without_query '$remote_addr [$time_local] "$request_method $uri" $status $body_bytes_sent';
    log_format timed '$msec $request_time $status $request_method $uri';
    {block}
}}
"""
_STARTS, _ENDS = 300, 40  # seconds
SERVE = ("-m", "webapp.cli", "serve")


@dataclass(frozen=True, slots=True)
class Front:
    """nginx's address, and what stands behind it."""

    server: Server
    nginx: int
    behind: Server
    folder: Path
    instance: Path

    @property
    def log(self) -> Path:
        """One line a request: when it ended, seconds it took, status, method, path."""
        return self.folder / "timed.log"


@contextmanager
def in_front(folder: Path, program: Sequence[str] = SERVE, **settings: str) -> Iterator[Front]:
    """Serve a copy of one sample collection behind nginx, until left, or what lies in the folder as `corpus`."""
    corpus, instance = folder / "corpus", folder / "instance"
    if not corpus.exists():
        shutil.copytree(ROOT / "corpus" / "kestrel", corpus / "kestrel")
    behind, port = _free_port(), _free_port()
    given = {"CORPUS": corpus, "INSTANCE": instance, "WORKERS": WORKERS, "TRUSTED_PROXIES": 1, "LOG_FORMAT": "json"}
    given |= {"LOG_LEVEL": "WARNING", "PORT": behind} | settings
    environment = os.environ | {f"EVIDENCEDESK_{name}": str(value) for name, value in given.items()}
    command = [sys.executable, *program, "--json"]
    with open(folder / "serve.log", "ab") as log, _running(command, log, environment | {"OMP_NUM_THREADS": "1"}) as app:
        _wait_for(behind, "/readyz")
        _configure(folder, port, behind)
        proxy = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "nginx.log")]
        with _running([*proxy, "-g", "daemon off;"], log, dict(os.environ)) as nginx:
            _wait_for(port, "/healthz")
            here = (Server("127.0.0.1", number, app) for number in (port, behind))
            yield Front(next(here), nginx, next(here), folder, instance)


def documented() -> str:
    """Return the server block of nginx that docs/operations.md gives."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    found = re.search(r"^```\n(server \{.*?^\})\n```", text, re.MULTILINE | re.DOTALL)
    assert found, "docs/operations.md has no server block"
    return found[1]


def _configure(folder: Path, port: int, behind: int) -> None:
    """Take the documented block; only what names this machine is put in its place, and TLS left out."""
    block = documented().replace("listen 443 ssl;", f"listen 127.0.0.1:{port};").replace(":8000", f":{behind}")
    block = re.sub(r"^ *ssl_certificate.*\n", "", block, flags=re.MULTILINE)
    timed = f"access_log {folder}/timed.log timed;"
    block = re.sub(r"access_log \S+ without_query;", f"access_log {folder}/plain.log without_query; {timed}", block)
    (folder / "nginx.conf").write_text(
        _AROUND.format(
            user="user root;" if os.geteuid() == 0 else "",
            folder=folder,
            temporary=" ".join(f"{name}_temp_path {folder}/{name};" for name in _TEMPORARY),
            block=block,
        ),
        encoding="utf-8",
    )


@contextmanager
def _running(command: list[str], log: object, environment: dict[str, str]) -> Iterator[int]:
    with subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process:  # type: ignore[call-overload]
        try:
            yield process.pid
        finally:
            process.terminate()
            process.wait(_ENDS)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _wait_for(port: int, path: str) -> None:
    over = time.monotonic() + _STARTS
    while time.monotonic() < over:
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10):
            return
        time.sleep(0.2)
    raise TimeoutError(f"port {port} is not ready; see serve.log and nginx.log")
