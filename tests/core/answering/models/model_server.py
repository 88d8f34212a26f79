"""A real HTTP server on loopback that speaks the providers' protocols, and can misbehave as servers do."""

from __future__ import annotations

import contextlib
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class ModelServer:
    """Answers each request with the next behaviour, the last one for ever; remembers what it was asked."""

    behaviours: list[Callable[[Any], None]]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closing: Event = field(default_factory=Event)

    def next(self) -> Callable[[Any], None]:
        return self.behaviours[min(len(self.requests), len(self.behaviours)) - 1]


@contextmanager
def serving(*behaviours: Callable[[Any], None]) -> Iterator[ModelServer]:
    """Serve on a free port until the block ends."""
    model_server = ModelServer(list(behaviours))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.body = body
            model_server.requests.append(json.loads(body) | {"path": self.path})
            model_server.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.closing = model_server.closing
            model_server.next()(self)

        def log_message(self, *arguments: Any) -> None:
            """Tests keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    model_server.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield model_server
    finally:
        model_server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def sends(body: str, status: int = 200, **headers: str) -> Callable[[Any], None]:
    """Send a body with a status."""

    def behave(handler: Any) -> None:
        data = body.encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return behave


def says(content: str | None, finish: str = "stop", **message: Any) -> Callable[[Any], None]:
    """Send a chat completion with that content."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
    }
    completion = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    }
    return sends(json.dumps(completion))


def streams(
    *pieces: str, finish: str | None = "stop", pause: float = 0, usage: dict[str, int] | None = None
) -> Callable[[Any], None]:
    """Send a chat completion piece by piece; no `finish` is a stream that breaks off. `usage` comes last, by itself."""

    def behave(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        ends: list[tuple[str, str | None]] = [(piece, None) for piece in pieces]
        for content, reason in [*ends, *([("", finish)] if finish else [])]:
            choice = {"index": 0, "delta": {"content": content}, "finish_reason": reason}
            chunk = {
                "id": "c1",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "tiny-1",
                "choices": [choice],
            }
            try:
                handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                handler.wfile.flush()
            except OSError:
                return
            handler.closing.wait(pause)
        if usage:
            counted = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny-1", "choices": []}
            handler.wfile.write(f"data: {json.dumps(counted | {'usage': usage})}\n\n".encode())
        if finish:
            handler.wfile.write(b"data: [DONE]\n\n")

    return behave


def refuses(status: int, message: str, **headers: str) -> Callable[[Any], None]:
    """Send an error as the providers word it."""
    return sends(json.dumps({"error": {"message": message, "type": "error"}}), status, **headers)


def breaks_off(handler: Any) -> None:
    """Promise more than is sent, and hang up."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def drips(handler: Any) -> None:
    """Keep the connection open with blank lines, soon enough for every single wait."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    handler.close_connection = True
    while not handler.closing.wait(0.05):
        try:
            handler.wfile.write(b"\n")
        except OSError:
            return


def pours(handler: Any) -> None:
    """Send a reply that has no end."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    handler.close_connection = True
    with contextlib.suppress(OSError):
        while not handler.closing.is_set():
            handler.wfile.write(b" " * 500_000)


def packs(handler: Any) -> None:
    """Send, packed, what is a thousand times longer."""
    body = gzip.compress(b" " * 20_000_000, 9)
    handler.send_response(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def hangs(handler: Any) -> None:
    """Never answer; ends with the server."""
    handler.closing.wait(5)
    handler.close_connection = True
