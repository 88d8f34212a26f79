"""The real server on a loopback port, and a reader who asks it as a browser would."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and the process that answers there."""

    host: str
    port: int
    pid: int


@contextmanager
def serving(collection: str = "kestrel", *options: str, **settings: str) -> Iterator[Server]:
    """Serve one collection, from an instance folder of its own unless the options or settings (`database_url=…`) say
    otherwise, and stop at the end."""
    with tempfile.TemporaryDirectory() as instance:
        command = [sys.executable, "-m", "webapp.cli", "serve", "--port", "0", "--json"]
        command += ["--collection", collection, "--instance", instance, *options]
        environment = environment_of({"ask_rate": "1000000 per minute"} | settings)
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                address = urlsplit(json.loads(process.stdout.readline())["address"])
                yield Server(str(address.hostname), int(address.port or 0), process.pid)
            finally:
                process.terminate()


def environment_of(settings: dict[str, str]) -> dict[str, str]:
    """Return the environment of a program with those settings."""
    named = {f"EVIDENCEDESK_{name.upper()}": value for name, value in settings.items()}
    return os.environ | {"OMP_NUM_THREADS": "1"} | named


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: status, headers by lower-case name, and the body as it crossed the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


class Reader:
    """One browser: a connection that is kept, cookies, and the form of the question box."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection(server.host, server.port, timeout=60)
        self._cookies: dict[str, str] = {}

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def get(self, path: str, encoding: str = "identity") -> Reply:
        """Fetch a path."""
        return self._send("GET", path, None, {"Accept-Encoding": encoding})

    def form(self) -> dict[str, str]:
        """Return the hidden fields of a fresh question box."""
        return dict(HIDDEN.findall(self.get("/").body.decode("utf-8")))

    def cookies(self) -> str:
        """Return the header that sends back what the server has had this browser keep."""
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items())

    def ask(self, question: str, form: dict[str, str]) -> tuple[Reply, Reply]:
        """Send a question with a form's fields; return the redirect and the answer's page."""
        sent = self.post("/ask", {**form, "question": question})
        return sent, self.get(sent.headers["location"])

    def post(self, path: str, form: dict[str, str]) -> Reply:
        """Send a form."""
        return self._send("POST", path, urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"})

    def post_json(self, path: str, body: object) -> Reply:
        """Send JSON, as a program does."""
        return self._send("POST", path, json.dumps(body), {"Content-Type": "application/json"})

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Reply:
        self._connection.request(method, path, body, headers | {"Cookie": self.cookies()})
        response = self._connection.getresponse()
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.split(";")[0].partition("=")
            self._cookies[name] = value
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
