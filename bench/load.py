"""What two processes behind nginx bear: rates, ten minutes at 70 percent, three times too much, slow clients, edits.

Needs nginx and wrk (Debian: apt-get install nginx-light wrk). Everything listens on 127.0.0.1, in a folder of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

import click

from bench.front import ROOT, WORKERS, Front, in_front
from bench.server import Reader
from bench.soak import memory

ASKED = 1000  # different questions
KNOWN = 200  # of them, where all are to be known
PAGES = 200  # answers that are read
DRAWN = 20_000  # from them, the n-th as often as 1/n
WORDINGS = {
    "en": ("{}", "Please tell me: {}", "Hello. {}", "{} Thank you!", "I looked everywhere. {}", "Quick question: {}",
           "{} It is urgent.", "A friend asks: {}", "{} I am new here.", "Good morning, {}", "{} Please help."),
    "bn": ("{}", "দয়া করে বলুন: {}", "নমস্কার। {}", "{} ধন্যবাদ!", "জানতে চাই: {}", "{} খুব জরুরি।", "একটা প্রশ্ন: {}",
           "আমি নতুন। {}", "{} একটু সাহায্য করুন।", "বন্ধু জানতে চায়: {}", "শুভ সকাল, {}"),
}  # fmt: skip
GOALS = {"asking, not known": 45, "asking, known": 150, "reading an answer": 400}  # per second
EMBEDDED = 77  # a second by WORKERS processes that do nothing else, on the machine that those goals were set on
AT_ONCE = 8  # readers without pauses, when the rate is looked for
STEADY, TOO_MUCH = 0.7, 3.0  # of what can be borne
READERS = 300
SLOWEST = 1.0  # second, 99 of 100 that are served under too much
RECOVERS = 5.0  # seconds
SLOW_CLIENTS = 200
EDITED = ("corpus", "kestrel", "returns-policy.md")
_EMBEDDING = """
import itertools, sys, time
from webapp.core.retrieval.embedders.base import load_embedder
embedder, seconds, questions = load_embedder("e5-small"), float(sys.argv[1]), itertools.cycle(sys.argv[2:])
embedder.query([next(questions)])
started, done = time.perf_counter(), 0
while (took := time.perf_counter() - started) < seconds:
    embedder.query([next(questions)])
    done += 1
print(done / took)
"""
_UNTIL_KNOWN = 3  # times that it is driven before, until each process knows them
_RESTS = 300  # seconds until the first index is evaluated, at most
_REFUSED = 0.001  # of those who come while a page is edited: no answer is known then, so more comes than can be borne
_GROWTH = 1.1  # of memory, from the second part to the last


@dataclass(frozen=True, slots=True)
class Seen:
    """What nginx logged of a stretch of time, and what the generator took of the processor."""

    seconds: float
    waits: list[float]  # of what was served, in seconds, the shortest first
    statuses: Counter[int]
    generator: float  # share of the cores
    serving: float  # processor milliseconds a request, of the processes that serve

    @property
    def served(self) -> int:
        """How many were neither refused nor failed."""
        return len(self.waits)

    @property
    def rate(self) -> float:
        """Served in a second."""
        return self.served / self.seconds

    @property
    def failed(self) -> int:
        """How many ended as none may."""
        return sum(count for status, count in self.statuses.items() if status not in (200, 303, 503))

    def slow(self, share: float) -> float:
        """How long so many of those served waited at most."""
        return self.waits[int(share * (len(self.waits) - 1))] if self.waits else 0.0


class Table:
    """Rows of the result; a goal that is missed makes the run fail."""

    def __init__(self) -> None:
        self.missed = 0
        click.echo("| what | result | goal |\n|---|---|---|")

    def row(self, what: str, result: str, goal: str = "", met: bool = True) -> None:
        """Print a row."""
        self.missed += not met
        click.echo(f"| {what} | {result}{'' if met else ' **missed**'} | {goal} |")


@click.command(help=__doc__)
@click.option("--minutes", default=10.0, help="How long the steady load lasts; the other parts take a tenth of it")
@click.option("--edits/--no-edits", default=True, help="Change a page again and again during a part of the load")
def main(minutes: float, edits: bool) -> None:
    """Measure, print a table, exit 1 when a goal is missed."""
    if missing := [name for name in ("nginx", "wrk") if not shutil.which(name)]:
        raise click.ClickException(f"{' and '.join(missing)} not found; Debian: apt-get install nginx-light wrk")
    part = max(60 * minutes / 10, 3.0)
    load = os.getloadavg()[0]
    table = Table()
    alone = embedding_alone(part)
    speed = min(1.0, alone / EMBEDDED)
    table.row(f"embedding alone, {WORKERS} processes", f"{alone:.0f} a second")
    with tempfile.TemporaryDirectory() as folder:
        with in_front(Path(folder), ANSWER_CACHE="0") as front:
            _rest(front)
            _rate(table, front, "asking, not known", part, speed)
        with in_front(Path(folder)) as front:
            _rest(front)
            _rate(table, front, "asking, known", part, speed)
            _rate(table, front, "reading an answer", part, speed)
            bearable = drive(front, part, LOAD_READS="1").rate
            table.row("asking and reading by turns", f"{bearable:.0f} a second")
            _steady(table, front, bearable, 60 * minutes)
            _too_much(table, front, bearable, part)
            _slow_clients(table, front, part)
            _at_the_same_moment(table, front)
            if edits:
                _edited(table, front, bearable, part)
    cpu, cores = platform.processor() or platform.machine(), os.cpu_count()
    click.echo(f"\n{date.today()}, {cpu}, {cores} cores, Python {platform.python_version()}, load before {load:.1f}.")
    sys.exit(table.missed > 0)


def questions(count: int) -> list[str]:
    """Return so many different questions: the golden ones, answerable and not, of kestrel, in other words."""
    lines = (ROOT / "corpus" / "kestrel" / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    golden = [json.loads(line) for line in lines]
    made = [
        wording.format(one["question"])
        for wordings in zip(*WORDINGS.values(), strict=True)
        for pair in (dict(zip(WORDINGS, wordings, strict=True)),)
        for one in golden
        for wording in (pair[one["lang"]], f"{pair[one['lang']]} …")
    ]
    return list(dict.fromkeys(made))[:count]


def drawn(seed: int = 7) -> Iterator[str]:
    """Yield questions as many people ask them: a few often, most seldom."""
    choose, known = random.Random(seed), questions(ASKED)
    choose.shuffle(known)
    yield from choose.choices(known, [1 / place for place in range(1, len(known) + 1)], k=DRAWN)


def _rest(front: Front) -> None:
    """Wait until nothing is built or evaluated any more: that is measured at the end, on purpose."""
    metrics, over = Reader(front.behind), time.monotonic() + _RESTS
    while time.monotonic() < over:
        lines = metrics.get("/metrics").body.decode().splitlines()
        if not sum(float(line.split()[-1]) for line in lines if line.startswith("evidencedesk_jobs{")):
            return
        time.sleep(1)
    raise click.ClickException(f"jobs still run {_RESTS} seconds after the start")


def embedding_alone(seconds: float) -> float:
    """Return how many questions a second as many processes embed as serve, with nothing else to do: a machine's speed
    changes with whoever shares its cores, and so does everything that is measured on it."""
    command = [sys.executable, "-c", _EMBEDDING, str(max(seconds, 3.0)), *questions(KNOWN)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) for _ in range(WORKERS)]
    return sum(float(process.communicate()[0]) for process in running)


def _rate(table: Table, front: Front, what: str, seconds: float, speed: float) -> None:
    """Find out how much is served when as much comes as goes; the goal is that of a machine of this speed."""
    given: dict[str, str] = {}
    if what == "reading an answer":
        given["LOAD_PAGES"] = pages(front)
    if what == "asking, known":
        few = front.folder / "few"
        few.write_text("\n".join(questions(KNOWN)), encoding="utf-8")
        given["questions"] = str(few)
        for _ in range(_UNTIL_KNOWN):
            drive(front, seconds, AT_ONCE, **given)
    seen = drive(front, seconds, AT_ONCE, **given)
    goal, shown = GOALS[what] * speed, f"{seen.rate:.0f} a second, p95 {1000 * seen.slow(0.95):.0f} ms"
    shares = f"{seen.serving:.1f} ms of processor each, generator and nginx {seen.generator:.0%} of the cores"
    table.row(what, f"{shown}, {shares}", f">= {goal:.0f}", seen.rate >= goal and not seen.failed)


def _steady(table: Table, front: Front, bearable: float, seconds: float) -> None:
    """Keep up 70 percent; memory must stay where it is."""
    rate, megabytes, seen = STEADY * bearable, [], []
    for _ in range(10):
        seen.append(_paced(front, rate, seconds / 10))
        megabytes.append(memory(front.behind))
    failed = sum(one.failed + one.statuses[503] for one in seen)
    served, slow = sum(one.served for one in seen), max(one.slow(0.99) for one in seen)
    table.row(
        f"{seconds / 60:.0f} minutes at 70 percent",
        f"{served} served ({served / seconds:.0f} a second), {failed} not, p99 at most {1000 * slow:.0f} ms",
        "no error",
        failed == 0,
    )
    growth = f"{megabytes[1]:.0f} → {megabytes[-1]:.0f} MB"
    table.row("memory over that time", growth, "flat", megabytes[-1] <= _GROWTH * megabytes[1])


def _too_much(table: Table, front: Front, bearable: float, seconds: float) -> None:
    """Send three times what can be borne, then stop."""
    asker, refusals = Reader(front.server), list[str]()
    watched = threading.Thread(target=_watch, args=(asker, refusals, seconds * 0.8))
    watched.start()
    seen = _paced(front, TOO_MUCH * bearable, seconds)
    recovered = _recovery(front)
    watched.join()
    refused, all_ = seen.statuses[503], sum(seen.statuses.values())
    came = f"{all_ / seen.seconds:.0f} came a second, {seen.rate:.0f} were served, {refused / all_:.0%} refused"
    ended = f"{came}, {seen.failed} failed"
    table.row("three times that", ended, "503, no other error", refused > 0 and not seen.failed)
    slow = f"p50 {1000 * seen.slow(0.5):.0f}, p99 {1000 * seen.slow(0.99):.0f} ms"
    table.row("those served", slow, "p99 < 1 s", seen.slow(0.99) < SLOWEST)
    table.row("refusals say when to come back", f"{len(refusals)} looked at", "all", all(map(bool, refusals)))
    table.row("served again as before", f"after {recovered:.1f} s", "<= 5 s", recovered <= RECOVERS)


def _slow_clients(table: Table, front: Front, seconds: float) -> None:
    """Hold many connections open with requests that never come to an end."""
    slow = [_dripping(front, n) for n in range(SLOW_CLIENTS)]
    stop = threading.Event()
    feeder = threading.Thread(target=_drip, args=(slow, stop))
    feeder.start()
    try:
        waits = _waits(front, seconds)
    finally:
        stop.set()
        feeder.join()
        for connection in slow:
            connection.close()
    p95 = waits[int(0.95 * (len(waits) - 1))]
    table.row(f"{SLOW_CLIENTS} slow clients", f"others' answers: p95 {1000 * p95:.0f} ms", "< 1 s", p95 < SLOWEST)


def _at_the_same_moment(table: Table, front: Front) -> None:
    """Have many ask one new question at once."""
    readers = [Reader(front.server) for _ in range(READERS // 10)]
    forms = [reader.form() for reader in readers]
    question = f"How long do I have to return a bike? {time.monotonic_ns()}"
    before = _known(front)
    with ThreadPoolExecutor(len(readers)) as pool:
        asked = ({**form, "question": question} for form in forms)
        sent = list(pool.map(lambda reader, form: reader.post("/ask", form).status, readers, asked))
    served = sent.count(303)
    worked_out = served - (_known(front) - before)
    result = f"{served} served, {sent.count(503)} refused, worked out {worked_out:.0f} times"
    table.row("the same question at once", result, f"once a process ({WORKERS})", worked_out <= WORKERS)


def _edited(table: Table, front: Front, bearable: float, seconds: float) -> None:
    """Change a page under load: index versions are switched, and the worker evaluates each."""
    page = front.folder.joinpath(*EDITED)
    text = page.read_text(encoding="utf-8")
    stop, edits = threading.Event(), [0]

    def edit() -> None:
        while not stop.wait(max(seconds / 6, 2.0)):
            edits[0] += 1
            page.write_text(text.replace("within 30 days", f"within {31 + edits[0]} days"), encoding="utf-8")

    editor = threading.Thread(target=edit)
    editor.start()
    seen = _paced(front, STEADY * bearable, 2 * seconds)
    stop.set()
    editor.join()
    database = front.instance / "evidencedesk.db"
    versions, mixed = _mixed(database)
    refused = seen.statuses[503]
    ended = f"{seen.served} served by {versions} index versions, {seen.failed} failed, {mixed} mixed"
    sound = seen.failed == 0 and mixed == 0 and versions > 1
    slow = f"p99 {1000 * seen.slow(0.99):.0f} ms"
    table.row(f"{edits[0]} edits during the load", f"{ended}, {slow}", "none failed, none mixed", sound)
    few = refused <= _REFUSED * seen.served
    table.row("refused meanwhile", f"{refused}", f"<= {_REFUSED:.1%}", few)
    runs = _count(database, "SELECT count(*) FROM runs")
    table.row("evaluations during the load", f"{runs}", "at least one", runs > 0)


def drive(
    front: Front, seconds: float, connections: int = AT_ONCE, questions: str | None = None, **environment: str
) -> Seen:
    """Let wrk send requests for so long, questions of that file or as they are drawn; return what nginx saw."""
    asked = Path(questions or front.folder / "drawn")
    if not asked.exists():
        asked.write_text("\n".join(drawn()), encoding="utf-8")
    reader = Reader(front.server)
    fields = reader.form()
    del fields["once"]
    sent = front.folder / "bodies"
    forms = (urlencode(fields | {"question": question}) for question in asked.read_text(encoding="utf-8").splitlines())
    sent.write_text("\n".join(forms), encoding="utf-8")
    given = os.environ | {"LOAD_QUESTIONS": str(sent), "LOAD_COOKIE": reader.cookies()} | environment
    command = ["wrk", "-t1", f"-c{connections}", f"-d{max(int(seconds), 1)}s", "--timeout", "30s"]
    command += ["-s", str(ROOT / "bench" / "load.lua"), f"http://{front.server.host}:{front.server.port}"]
    at, before, start = front.log.stat().st_size, _spent(front), time.monotonic()
    subprocess.run(command, env=given, check=True, capture_output=True)
    took = time.monotonic() - start
    return _seen(front, at, took, before, _spent(front))


def _paced(front: Front, rate: float, seconds: float) -> Seen:
    """Send so many requests a second, whatever becomes of them."""
    pause = str(1000 * READERS / rate)
    return drive(front, seconds, READERS, LOAD_READS="1", LOAD_PAUSE=pause, LOAD_SEED=str(time.monotonic_ns() % 1000))


def _seen(front: Front, at: int, seconds: float, before: dict[str, float], after: dict[str, float]) -> Seen:
    time.sleep(0.2)  # nginx writes a line when the reply is sent
    with front.log.open("rb") as log:
        log.seek(at)
        lines = [line.split() for line in log.read().decode("utf-8", "replace").splitlines()]
    statuses = Counter(int(line[2]) for line in lines)
    waits = sorted(float(line[1]) for line in lines if line[2] in ("200", "303"))
    statuses.pop(499, None)  # wrk goes away at the end of its time
    spent = {name: after[name] - before[name] for name in after}
    share = (spent["wrk"] + spent["nginx"]) / (seconds * (os.cpu_count() or 1))
    return Seen(seconds, waits, statuses, share, 1000 * spent["serve"] / max(len(lines), 1))


def _spent(front: Front) -> dict[str, float]:
    """Return the processor seconds spent so far: by wrk (those that have ended), nginx, and the serving processes."""
    children = os.times()
    return {
        "wrk": children.children_user + children.children_system,
        "nginx": sum(map(_seconds, _family(front.nginx))),
        "serve": sum(map(_seconds, _family(front.behind.pid))),
    }


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *map(int, children)]


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pages(front: Front) -> str:
    """Ask, and return the file with the addresses of the answers."""
    reader, file = Reader(front.server), front.folder / "pages"
    form = reader.form()
    asked = (reader.ask(question, form)[0].headers["location"] for question in questions(PAGES))
    file.write_text("\n".join(asked), encoding="utf-8")
    return str(file)


def _watch(reader: Reader, refusals: list[str], seconds: float) -> None:
    """Keep of each refusal when it says to come back."""
    over, form = time.monotonic() + seconds, reader.form()
    del form["once"]
    while time.monotonic() < over:
        reply = reader.post("/ask", form | {"question": "How long do I have to return a bike?"})
        if reply.status == 503:
            refusals.append(reply.headers.get("retry-after", ""))
        time.sleep(0.05)


def _recovery(front: Front) -> float:
    """Return after how many seconds ten questions in a row are answered as quickly as ever."""
    start, row = time.monotonic(), 0
    reader = Reader(front.server)
    began = start
    for question in drawn(seed=8):
        if row == 10 or time.monotonic() - start > 60:
            break
        asked = time.monotonic()
        quick = _is_answered(reader, question) and time.monotonic() - asked < SLOWEST / 2
        row, began = (row + 1, began) if quick else (0, time.monotonic())
    return began - start if row == 10 else 60.0


def _is_answered(reader: Reader, question: str) -> bool:
    page = reader.get("/")
    return page.status == 200 and reader.ask(question, reader.form())[1].status == 200


def _waits(front: Front, seconds: float) -> list[float]:
    reader, waits = Reader(front.server), list[float]()
    over, asking = time.monotonic() + seconds, drawn(seed=9)
    while time.monotonic() < over or not waits:
        start = time.monotonic()
        assert _is_answered(reader, next(asking))
        waits.append(time.monotonic() - start)
    return sorted(waits)


def _dripping(front: Front, n: int) -> socket.socket:
    """Begin a request; half of them stop inside the headers, half inside the body."""
    connection = socket.create_connection((front.server.host, front.server.port), timeout=5)
    head = "POST /ask HTTP/1.1\r\nHost: slow.example\r\n"
    body = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nquestion="
    connection.sendall((head + (body if n % 2 else "X-Slow: ")).encode())
    return connection


def _drip(connections: list[socket.socket], stop: threading.Event) -> None:
    while not stop.wait(1.0):
        for connection in connections:
            with contextlib.suppress(OSError):  # nginx has had enough of it
                connection.sendall(b"a")


def _known(front: Front) -> float:
    """Return how many questions were not worked out again, by all processes."""
    reply = Reader(front.behind).get("/metrics")
    named = "evidencedesk_questions_known_total{"
    return sum(float(line.split()[-1]) for line in reply.body.decode().splitlines() if line.startswith(named))


def _mixed(database: Path) -> tuple[int, int]:
    """Return how many index versions have answered, and how many documents are cited in two states by answers of one
    version, or quoted with words that their state does not hold."""
    twice = """SELECT count(*) FROM (SELECT 1 FROM answers JOIN citations ON answer_id = answers.id
               GROUP BY index_version, document_id HAVING count(DISTINCT snapshot) > 1)"""
    cited = """SELECT body, chunk_id, text FROM answers JOIN citations ON answer_id = answers.id
               JOIN snapshots ON hash = snapshot WHERE instr(body, 'kc-returns-v3') ORDER BY answers.created_at"""
    versions = _count(database, "SELECT count(DISTINCT index_version) FROM answers")
    with contextlib.closing(sqlite3.connect(database)) as opened:
        wrong = sum(not _is_quoted(*row) for row in opened.execute(cited))
    return versions, _count(database, twice) + wrong


def _is_quoted(body: str, chunk_id: str, text: str) -> bool:
    """Tell whether what an answer quotes from a chunk stands in the document's text at that place."""
    answer = json.loads(body)
    (marker,) = (one["marker"] for one in answer["citations"] if one["chunk_id"] == chunk_id)
    quotes = [one for said in answer["statements"] for one in said["quotes"] if one["marker"] == marker]
    return all(" ".join(text[one["start"] : one["end"]].split()) == one["text"] for one in quotes)


def _count(database: Path, query: str) -> int:
    with contextlib.closing(sqlite3.connect(database)) as opened:
        return int(opened.execute(query).fetchone()[0])


if __name__ == "__main__":
    main()
