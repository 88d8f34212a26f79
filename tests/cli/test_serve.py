from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Shell
from tests.core.answering.models import model_server
from webapp.cli import serve
from webapp.cli.serve import AT_ONCE, COLLECTED, collect_seldom

ABSTAINS = json.dumps({"status": "abstained", "confidence": "low", "statements": []})


@contextmanager
def serving(shell: Shell, *options: str) -> Iterator[dict[str, str]]:
    """A server in a process of its own; gives what it printed when it was ready."""
    where = ["--collection", str(shell.folder), "--instance", str(shell.instance)]
    command = [sys.executable, "-m", "webapp.cli", "serve", "--port", "0", "--json", *where, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    assert process.returncode == 0


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as response:
        return str(response.read().decode())


def test_the_address_that_is_printed_answers(shell: Shell) -> None:
    with serving(shell, "--no-worker") as said:
        assert "Lamp shop" in get(said["address"])
        assert "ready" in get(f"{said['address']}readyz")
        assert "This makes the first account" in get(said["first_account"])
        request = urllib.request.Request(
            f"{said['address']}api/v1/ask",
            json.dumps({"question": "Within how many days can I return a lamp?"}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            assert "45 days" in json.load(response)["answer"]


def test_a_port_in_use_is_said_at_once(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = shell("serve", "--port", str(port))
    assert ran.code == 2
    assert (
        ran.err
        == f"evidencedesk: can't listen on 127.0.0.1:{port} (Address already in use); choose another with --port\n"
    )
    assert not (shell.instance / "indexes").exists()


def test_a_model_that_is_not_there_is_said_at_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_MODEL", "nonsense")
    ran = shell("serve", "--port", "0")
    assert ran.code == 2
    assert "unknown model 'nonsense'; there are: " in ran.err
    assert not (shell.instance / "indexes").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--port", "99999"], "EVIDENCEDESK_PORT"), (["--host", "no.such.host.invalid"], "can't listen on no.such.host")],
)
def test_an_address_that_can_not_be_used(shell: Shell, options: list[str], words: str) -> None:
    ran = shell("serve", *options)
    assert ran.code == 2
    assert words in ran.err


def ask(address: str) -> str:
    body = json.dumps({"question": "Within how many days can I return a lamp?"}).encode()
    request = urllib.request.Request(f"{address}api/v1/ask", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return str(json.load(response)["answer"])


def worker_of(shell: Shell) -> int:
    """The process that works for that instance."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            words = (process / "cmdline").read_text(encoding="utf-8").split("\0")
            if "worker" in words and str(shell.instance) in words:
                return int(process.name)
    raise AssertionError("there is no worker")


def test_a_worker_beside_it_indexes_changed_files(shell: Shell) -> None:
    with serving(shell) as said:
        assert "45 days" in ask(said["address"])
        worker = worker_of(shell)
        assert os.getpriority(os.PRIO_PROCESS, worker) == 10
        assert os.getsid(worker) == os.getsid(0), "niceness counts within a session alone"
        assert os.getpgid(worker) == worker, "Ctrl-C is not for it"
        page = shell.folder / "returns.md"
        page.write_text(page.read_text(encoding="utf-8").replace("45 days", "60 days"), encoding="utf-8")
        over = time.monotonic() + 60
        while "60 days" not in ask(said["address"]):
            assert time.monotonic() < over, "nobody built an index"
            time.sleep(0.5)


def test_l01_nobody_waits_for_a_large_page_that_came_while_the_program_was_stopped(shell: Shell) -> None:
    shell("index")
    words = "".join(f"Lamp {n} has {n} watts and hangs in room {n} of the house. " for n in range(AT_ONCE // 50))
    (shell.folder / "large.md").write_text(f"---\nid: large\nstatus: current\n---\n\n## All\n{words}", encoding="utf-8")
    with serving(shell) as said:
        assert "45 days" in ask(said["address"])
        with pytest.raises(urllib.error.HTTPError) as not_ready:
            get(f"{said['address']}readyz")
        assert "older than the files" in not_ready.value.read().decode()


def test_a_file_that_can_not_be_looked_at_keeps_nothing_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.md").write_text("x" * (AT_ONCE + 1), encoding="utf-8")
    files = [tmp_path / "closed" / "page.md", tmp_path / "page.md"]
    monkeypatch.setattr(serve, "document_files", lambda folder, problems: files)
    assert serve._is_large(tmp_path)
    del files[1]
    assert not serve._is_large(tmp_path)


def test_what_is_being_answered_when_it_is_stopped_is_answered(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two processes; SIGTERM while the model server thinks; the answer arrives and is kept, and the log is JSON."""
    begun = threading.Event()

    def thinks(request: Any) -> None:
        begun.set()
        time.sleep(1.5)
        model_server.says(ABSTAINS)(request)

    for name, value in {"WORKERS": "2", "LOG_FORMAT": "json", "MODEL": "openai_compatible", "MODEL_NAME": "m"}.items():
        monkeypatch.setenv(f"EVIDENCEDESK_{name}", value)
    with model_server.serving(thinks) as model, ThreadPoolExecutor() as pool:
        monkeypatch.setenv("EVIDENCEDESK_MODEL_BASE_URL", model.url)
        with serving(shell, "--no-worker") as said:
            get(f"{said['address']}healthz")
            answered = pool.submit(ask, said["address"])
            assert begun.wait(60)
        assert answered.result(60)
    with sqlite3.connect(shell.instance / "evidencedesk.db") as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (1,)
    database.close()
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    assert all(line["request"] for line in logged if line["logger"] == "webapp.web.logs")
    assert {line.get("page") for line in logged} >= {"health.healthz", "api.ask"}


def test_a_worker_stops_when_its_input_ends(shell: Shell) -> None:
    where = ["--collection", str(shell.folder), "--instance", str(shell.instance)]
    command = [sys.executable, "-m", "webapp.cli", "worker", "--while-input", *where]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.close()
        assert process.wait(60) == 0


class Knot:
    """Holds itself, so that only the collector takes it away."""

    def __init__(self) -> None:
        self.itself = self


def test_what_stays_is_looked_through_seldom_and_what_a_request_leaves_at_once() -> None:
    before, looks = gc.get_threshold(), list[int]()
    gc.callbacks.append(lambda phase, info: looks.append(info["generation"]))
    try:
        collect_seldom()
        looks.clear()
        assert gc.get_freeze_count() > 10_000
        left = weakref.ref(Knot())
        made: list[list[int]] = [[] for _ in range(20 * COLLECTED[0])]
        assert left() is None
        assert len(made) == 20 * COLLECTED[0]
        assert 0 in looks
        assert 2 not in looks
    finally:
        gc.callbacks.pop()
        gc.unfreeze()
        gc.set_threshold(*before)
