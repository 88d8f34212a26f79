"""What the operating contract says of money: prices, the cap, and what was spent on the last days."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.services.desk import Desk
from webapp.services.meter import Standing
from webapp.store.spending import Spent
from webapp.web.context import services
from webapp.web.i18n import date, gettext, number

_DAYS = 7
_COLUMNS = (_l("Day (UTC)"), _l("Model"), _l("Replies"), _l("Tokens sent"), _l("Tokens received"), _l("Cost"))


@dataclass(frozen=True, slots=True)
class SpendingView:
    """What a collection's model costs, in words."""

    model: str
    price: str
    cap: str
    reached: str  # "" while it isn't
    columns: tuple[LazyString, ...]
    rows: tuple[tuple[str, ...], ...]
    estimated: bool  # some of the rows are


def spending_view(desk: Desk) -> SpendingView | None:
    """Return what there is to say; None when the model costs nothing and none did lately."""
    standing, spent = desk.meter.standing(), desk.meter.spent(_DAYS)
    if standing is None and not spent:
        return None
    return SpendingView(
        model=standing.model if standing else "",
        price=_price(standing) if standing else "",
        cap=_cap(standing) if standing else "",
        reached=_reached(standing) if standing else "",
        columns=_COLUMNS,
        rows=tuple(map(_row, spent)),
        estimated=any(one.estimated for one in spent),
    )


def _price(standing: Standing) -> str:
    if standing.price is None:
        return gettext("Nobody has set what it costs.")
    return gettext(
        "A million tokens cost %(sent)s sent and %(written)s received.",
        sent=_money(float(standing.price.sent)),
        written=_money(float(standing.price.written)),
    )


def _cap(standing: Standing) -> str:
    if standing.cap is None:
        return gettext("There is no limit to what a day may cost.")
    values = {"cap": _money(standing.cap), "spent": _money(standing.spent)}
    return gettext("A day (UTC) may cost %(cap)s; today has cost %(spent)s.", **values)


def _reached(standing: Standing) -> str:
    if standing.cap is not None and standing.price is None:
        return gettext("A limit is set and no price, so the model is not asked: set its price.")
    if not standing.reached:
        return ""
    if services().settings.after_cap == "extractive":
        return gettext("Today's money is spent: until midnight (UTC) answers are whole sentences of the pages.")
    return gettext("Today's money is spent: until midnight (UTC) there are no answers.")


def _row(spent: Spent) -> tuple[str, ...]:
    estimate = gettext("%(count)s estimated", count=number(spent.estimated))
    replies = f"{number(spent.replies)} ({estimate})" if spent.estimated else number(spent.replies)
    tokens = number(spent.tokens_in), number(spent.tokens_out)
    return date(spent.day), spent.model, replies, *tokens, _money(spent.money)


def _money(amount: float) -> str:
    """Cents and, where there are any, their hundredths."""
    short = f"{amount:.4f}".removesuffix("00")
    return f"{number(short)} {services().settings.currency}"
