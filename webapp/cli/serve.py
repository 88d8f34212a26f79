"""`serve` and `worker`: the pages on an address of this machine, and the work beside them."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from webapp.app import create_app
from webapp.cli.common import Run, command, progress
from webapp.core.documents.collection import document_files
from webapp.core.retrieval.files import locked
from webapp.core.retrieval.index import Progress
from webapp.services import worker as background
from webapp.services.clients import server_problem
from webapp.services.desk import Desk
from webapp.services.problems import plain_words
from webapp.services.root import Services
from webapp.settings import Settings
from webapp.web.metrics import count_together, has_ended
from webapp.web.shedding import threads_needed

BACKLOG = 512
LEAST_URGENT = 10  # niceness of the worker
RESTART_SECONDS = 5.0
# From one look of Python's collector to the next: new objects, looks at the young, looks at the not so young.
COLLECTED = (1_000, 20, 200)
AT_ONCE = 500_000  # bytes of pages; what is larger is left to the worker if something else can be served meanwhile

log = logging.getLogger(__name__)


@click.command()
@click.option("--host", help="Address to listen on; default: the setting, 127.0.0.1")
@click.option("--port", type=int, help="Port to listen on; default: the setting, 8000")
@click.option("--no-worker", is_flag=True, help="Leave indexing of changed files to `evidencedesk worker`")
@command
def serve(run: Run, no_worker: bool) -> None:
    """Serve the pages: every collection of the corpus, or the one that is named alone."""
    if problem := server_problem(run.settings):  # said now, not on every page; it may well come up later
        click.echo(f"warning: {problem}", err=True)
    listener = _listen(run.settings.host, run.settings.port)
    link = _prepare(run, has_worker=not no_worker)
    address = _address(run.settings.host, listener.getsockname()[1])
    words = f"EvidenceDesk is at {address}/"
    if link:
        words += f"\nMake the first account here (good once): {address}/sign-in/{link}"
    run.say({"address": f"{address}/", "first_account": f"{address}/sign-in/{link}" if link else None}, words)
    with _shared_folder() as shared:
        if run.settings.workers > 1:
            count_together(shared)
        _Server(run.settings, run.alone, None if no_worker else shared / "worker", listener).run()


@click.command()
@click.option("--while-input", is_flag=True, help="Stop when standard input ends: with whoever started this")
@command
def worker(run: Run, while_input: bool) -> None:
    """Do jobs, keep indexes as new as their files, and erase what has been kept long enough, until stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # what is being done waits for the next worker
    if while_input:
        threading.Thread(target=_stop_after_input, name="input", daemon=True).start()
    background.run(run.services(alone=run.alone))


def _stop_after_input() -> None:
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _shared_folder() -> Iterator[Path]:
    """A folder of the processes that serve. Each leaves this block when it ends; the first takes it away."""
    folder, first = Path(tempfile.mkdtemp(prefix="evidencedesk-")), os.getpid()
    try:
        yield folder
    finally:
        if os.getpid() == first:
            shutil.rmtree(folder, ignore_errors=True)


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before any work is done. Raises ClickException."""
    try:
        listener = socket.create_server((host, port), backlog=BACKLOG, family=_family(host))
        # Accepted connections inherit it; else a page's body waits 40 ms for the acknowledgement of its headers.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise click.ClickException(f"can't listen on {host}:{port} ({reason}); choose another with --port") from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _prepare(run: Run, has_worker: bool) -> str | None:
    """Build what is missing and not left to the worker, and return the token for the first account if there is none.

    Nothing stays open: the server's process must not share connections with this one.
    """
    services = run.services(alone=run.alone)
    with progress() as report:
        desks = services.desks()
        for desk in desks:
            something_else = len(desks) > 1 or desk.served() is not None
            if has_worker and something_else and _is_large(desk.folder) and desk.is_behind():
                click.echo(f"the index of {desk.name} is built while other pages are served: it is large", err=True)
            else:
                _ensure_index(desk, report)
    link = services.accounts.first_link()
    services.close()
    return link


def _ensure_index(desk: Desk, report: Progress) -> None:
    """Where nothing can be written, what is there is served, and pages say that it is older than the files."""
    try:
        desk.ensure_index(report)
    except OSError as error:
        if desk.served() is None:
            raise
        click.echo(f"warning: the index of {desk.name} stays as it is: {plain_words(error)}", err=True)


def _is_large(folder: Path) -> bool:
    return sum(map(_size, document_files(folder, []))) > AT_ONCE


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # gone meanwhile, or in a folder that can't be entered: it can't be read either
        return 0


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Processes with threads: each loads the model of meaning once, which lets go of the interpreter while it works.
    They share the listening socket, and `turn`, the file whose lock says which of them keeps the worker running."""

    def __init__(self, settings: Settings, alone: bool, turn: Path | None, listener: socket.socket) -> None:
        self._settings = settings
        self._alone = alone
        self._turn = turn
        self._bind = f"fd://{listener.detach()}"
        super().__init__()

    def load_config(self) -> None:
        """Give gunicorn its settings."""
        chosen = {
            "bind": self._bind,
            "worker_class": "gthread",
            "workers": self._settings.workers,
            "threads": threads_needed(self._settings),
            "timeout": self._settings.request_seconds,
            "backlog": BACKLOG,
            "loglevel": "warning",
            "control_socket_disable": True,
            "logger_class": _Log,
            "child_exit": lambda _server, worker: has_ended(worker.pid),
        }
        for name, value in chosen.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Make the application, in the process that serves it."""
        services = Services.open(self._settings, self._alone)
        if self._turn:
            services.leave_building()
            _Worker(self._settings, self._alone, self._turn).start()
        app = create_app(self._settings, services)
        collect_seldom()
        return app


def collect_seldom() -> None:
    """Have Python's collector pass over all that is there by now, and look through what stays only once in thousands of
    requests: a look at everything stops all readers for a quarter of a second, and finds next to nothing. What a
    request leaves behind is young, and is collected as ever."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


class _Log(Logger):  # type: ignore[misc]
    """What gunicorn has to say goes where everything else goes, and looks like it: as JSON, if that is wanted."""

    def setup(self, cfg: Any) -> None:
        """Leave it to the handlers that are there."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class _Worker(threading.Thread):
    """Keeps a worker running in a process of its own, so that building an index takes no time from readers: it yields
    to them, and may be killed for want of memory without them noticing. Of several that serve, one has the `turn`."""

    def __init__(self, settings: Settings, alone: bool, turn: Path) -> None:
        super().__init__(name="worker", daemon=True)
        self._turn = turn
        named = ["--collection", settings.collection] if alone else []
        where = ["--instance", str(settings.instance), *named, "--while-input"]
        self._command = [sys.executable, "-m", "webapp.cli", "worker", *where]

    def run(self) -> None:
        """Start it, and again whenever it ends; when another process has the turn, as soon as that is gone."""
        with locked(self._turn):
            self._keep_running()

    def _keep_running(self) -> None:
        while True:
            # A group of its own: the terminal's Ctrl-C is for this process, whose end is the end of its input. In a
            # session of its own the kernel would give it as much time as all that serve, however nice it is.
            with subprocess.Popen(self._command, stdin=subprocess.PIPE, process_group=0) as process:
                os.setpriority(os.PRIO_PROCESS, process.pid, LEAST_URGENT)
                process.wait()
            log.error("the worker has ended (%s); another one starts", process.returncode)
            time.sleep(RESTART_SECONDS)
