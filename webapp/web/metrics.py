"""Figures for Prometheus: questions by outcome and reason, time by stage, tokens, index age, work that waits."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from flask import Flask, current_app
from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest, values
from prometheus_client import Counter as Counted
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from webapp.core.answering.model import Answer, Trace
from webapp.services.root import Services
from webapp.store.jobs import ACTIVE
from webapp.web.spending import Spending

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_EXTENSION = "evidencedesk.metrics"
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # names the folder in which processes count together
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30)


class Metrics:
    """The figures of this process."""

    def __init__(self, services: Services) -> None:
        self._own = CollectorRegistry()
        self._common: tuple[Collector, ...] = (_State(services), Spending(services))  # the same for every process
        self._questions = self._counter("questions", "Questions by outcome", "collection", "outcome", "reason")
        self._known = self._counter("questions_known", "Questions that were not worked out again", "collection")
        self._tokens = self._counter("tokens", "Tokens sent to and got from models", "collection", "model", "direction")
        self.turned_away = self._counter("turned_away", "Requests refused with 503 under load", "gate")
        waits = "Requests that wait for their turn"
        self.queue = Gauge("evidencedesk_queue", waits, ["gate"], registry=self._own, multiprocess_mode="livesum")
        self._stages = Histogram(
            "evidencedesk_stage_seconds", "Time by stage", ["stage"], buckets=_SECONDS, registry=self._own
        )
        services.observe(self.observe)

    def observe(self, answer: Answer, trace: Trace) -> None:
        """Count an answer."""
        outcome = "abstained" if answer.abstained else "answered"
        self._questions.labels(answer.collection, outcome, answer.reason.value).inc()
        if trace.same_as:  # what it cost is counted already
            self._known.labels(answer.collection).inc()
            return
        for direction, count in (("in", trace.tokens_in), ("out", trace.tokens_out)):
            if count:
                self._tokens.labels(answer.collection, answer.model, direction).inc(count)
        for stage, milliseconds in trace.milliseconds.items():
            self._stages.labels(stage).observe(milliseconds / 1000)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format: of every process that serves, whichever is asked."""
        registry = CollectorRegistry()
        for one in self._common:
            registry.register(one)
        if _SHARED in os.environ:
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._own)
        return generate_latest(registry)

    def _counter(self, name: str, help_: str, *labels: str) -> Counted:
        return Counted(f"evidencedesk_{name}", help_, labels, registry=self._own)


def count_together(folder: Path) -> None:
    """Have all processes that this one starts count in that folder, so that each can tell the figures of all."""
    os.environ[_SHARED] = str(folder)
    values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]


def has_ended(process: int) -> None:
    """What waited in a process that is no more, waits no more."""
    if _SHARED in os.environ:
        mark_process_dead(process)  # type: ignore[no-untyped-call]


def init_metrics(app: Flask, services: Services) -> None:
    """Begin to count."""
    app.extensions[_EXTENSION] = Metrics(services)


def metrics() -> Metrics:
    """Return the figures of this application."""
    return cast(Metrics, current_app.extensions[_EXTENSION])


class _State(Collector):
    """Read when asked for: other processes build indexes and do jobs too."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield for every collection the age of its index, whether that is in trouble, and the jobs in its queue."""
        age = GaugeMetricFamily("evidencedesk_index_age_seconds", "Since the index was built", labels=["collection"])
        trouble = GaugeMetricFamily("evidencedesk_index_trouble", "1: readyz says what is wrong", labels=["collection"])
        jobs = GaugeMetricFamily("evidencedesk_jobs", "Jobs that run or wait", labels=["collection", "state"])
        for desk in self._services.desks():
            manifest = desk.served()
            if manifest:
                age.add_metric([desk.name], (datetime.now(UTC) - manifest.created_at).total_seconds())
            trouble.add_metric([desk.name], float(desk.trouble() is not None))
            states = Counter(job.state for job in self._services.jobs.active(desk.name))
            for state in ACTIVE:
                jobs.add_metric([desk.name, state.value], states[state])
        yield from (age, trouble, jobs)
