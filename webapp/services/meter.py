"""What the models behind a server are used for and cost, counted by collection and day (UTC), and held under a cap.

The sums stand in the database: several processes add to the same ones, and a restart begins none anew. A question
looks first whether the cap is reached and is counted when its reply is there, so that what is spent goes above the cap
by the questions in flight at that moment and no more.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from webapp.core.answering.model import Model, ModelReply, ModelRequest, ModelUnavailable
from webapp.core.answering.models.base import Served
from webapp.services.clients import model_client
from webapp.services.keeping import Keeper
from webapp.settings import PREFIX, Price, Settings

if TYPE_CHECKING:
    from webapp.store.spending import Spent

log = logging.getLogger(__name__)

_BYTES_A_TOKEN = 4  # of English; a Bangla letter has three bytes and is a token more often than not


@dataclass(frozen=True, slots=True)
class Standing:
    """What a collection's model may cost a day, and has cost today. `cap` None: as much as it does; `price` None:
    nobody has said what it costs."""

    model: str
    price: Price | None
    cap: float | None
    spent: float

    @property
    def reached(self) -> bool:
        """Tell whether the model is not asked any more today."""
        return self.cap is not None and self.spent >= self.cap


class Meter:
    """What one collection's models cost."""

    def __init__(self, collection: str, settings: Settings, keeper: Keeper) -> None:
        self._collection = collection
        self._settings = settings
        self._keeper = keeper
        self._cap = settings.cap(collection)

    def metered(self, model: Model) -> Model:
        """Return the model, counted and capped; one on this machine costs nothing and is returned as it is."""
        return _Metered(model, self) if isinstance(model, Served) else model

    def require(self) -> None:
        """Raise ModelUnavailable when the settings' model may not be asked now: for what is to be done by one model
        from beginning to end, or not at all."""
        model = model_client(self._settings)
        refusal = self.refusal(model.name) if isinstance(model, Served) else ""
        if refusal:
            raise ModelUnavailable(refusal, retry=False)

    def standing(self) -> Standing | None:
        """Return how the settings' model stands today; None when it costs nothing. Raises SettingsError."""
        model = model_client(self._settings)
        if not isinstance(model, Served):
            return None
        cap = None if self._cap is None else float(self._cap)
        spent = float(self._keeper.store.spending.money(self._collection, today()))
        return Standing(model.name, self._settings.price(model.name), cap, spent)

    def spent(self, days: int = 1) -> list[Spent]:
        """Return what was spent in the last days, today with them, newest first."""
        return self._keeper.store.spending.since(today() - timedelta(days=days - 1), self._collection)

    def refusal(self, model: str) -> str:
        """Return why that model may not be asked now, "" when it may."""
        if self._cap is None:
            return ""
        if self._settings.price(model) is None:
            return (
                f"there is a cap and no price for {model}, so nobody can tell what it costs; set {PREFIX}MODEL_PRICES"
            )
        if self._keeper.store.spending.money(self._collection, today()) < self._cap:
            return ""
        return f"{self._cap} {self._settings.currency} are spent today (UTC): that is the cap of {self._collection}"

    def substitute(self) -> Model | None:
        """Return the model that answers when the cap is reached; None: there is no answer then."""
        return model_client(self._settings, "extractive") if self._settings.after_cap == "extractive" else None

    def count(self, model: str, request: ModelRequest, reply: ModelReply) -> ModelReply:
        """Count a reply; return it with the tokens that it was counted as."""
        from webapp.store.spending import Spent  # with the database: only models behind a server need it

        counted = _estimated(request, reply)
        price = self._settings.price(model)
        self._keeper.store.spending.add(
            Spent(
                collection=self._collection,
                day=today(),
                model=model,
                replies=1,
                estimated=int(counted != reply),
                tokens_in=counted.tokens_in,
                tokens_out=counted.tokens_out,
                nanos=price.nanos(counted.tokens_in, counted.tokens_out) if price else 0,
            )
        )
        return counted


class _Metered:
    """A model whose replies are counted."""

    def __init__(self, model: Model, meter: Meter) -> None:
        self.name, self.external = model.name, model.external
        self._model, self._meter = model, meter

    def reply(self, request: ModelRequest) -> ModelReply:
        refusal = self._meter.refusal(self.name)
        if not refusal:
            return self._meter.count(self.name, request, self._model.reply(request))
        log.warning("%s is not asked: %s", self.name, refusal)
        instead = self._meter.substitute()
        if instead is None:
            raise ModelUnavailable(refusal, retry=False)
        return instead.reply(request)


def today() -> date:
    """Return the day that is spent on: it begins at midnight UTC, for every collection."""
    return datetime.now(UTC).date()


def _estimated(request: ModelRequest, reply: ModelReply) -> ModelReply:
    """Return the reply with its tokens estimated by the length of the texts, where the server did not count them."""
    sent = reply.tokens_in if reply.tokens_in > 0 else _tokens(request.system) + _tokens(request.user)
    received = reply.tokens_out if reply.tokens_out > 0 else _tokens(reply.text)
    return replace(reply, tokens_in=sent, tokens_out=received)


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
