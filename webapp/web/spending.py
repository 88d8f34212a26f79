"""What models cost, for Prometheus: read from the database, so that every process says the same."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from webapp.services.root import Services

_MODEL = ["collection", "model"]


class Spending(Collector):
    """Tokens and money of today (UTC), by collection and model, and whether a cap is reached."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield today's figures; a collection whose model costs nothing has none."""
        currency = self._services.settings.currency
        tokens = _gauge("tokens", "Tokens of today (UTC)", *_MODEL, "direction")
        replies = _gauge("replies", "Replies of today (UTC); estimated: the server did not count", *_MODEL, "counted")
        money = _gauge("money", "Cost of today (UTC)", *_MODEL, "currency")
        cap = _gauge("cap_money", "What a day may cost", "collection", "currency")
        reached = _gauge("cap_reached", "1: today's money is spent, the model is not asked", "collection")
        for desk in self._services.desks():
            for spent in desk.meter.spent():
                labels = [spent.collection, spent.model]
                tokens.add_metric([*labels, "in"], spent.tokens_in)
                tokens.add_metric([*labels, "out"], spent.tokens_out)
                replies.add_metric([*labels, "by_server"], spent.replies - spent.estimated)
                replies.add_metric([*labels, "estimated"], spent.estimated)
                money.add_metric([*labels, currency], spent.money)
            if (standing := desk.meter.standing()) and standing.cap is not None:
                cap.add_metric([desk.name, currency], standing.cap)
                reached.add_metric([desk.name], float(standing.reached))
        yield from (tokens, replies, money, cap, reached)


def _gauge(name: str, help_: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"evidencedesk_day_{name}", help_, labels=labels)
