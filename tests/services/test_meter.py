"""What models cost, counted over a real HTTP server, and the cap that ends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Desks, make_settings
from tests.core.answering.fakes import BIKE, hits
from tests.core.answering.models.model_server import ModelServer, refuses, says, sends, serving
from webapp.app import create_app
from webapp.core.answering.model import Model, ModelReply, ModelRequest, ModelUnavailable
from webapp.core.answering.prompt import DEFAULT_BUDGET, build_request
from webapp.core.evaluation.questions import Question
from webapp.core.retrieval.model import Reader
from webapp.services.clients import model_client
from webapp.services.keeping import Keeper
from webapp.services.measuring import asker
from webapp.services.meter import Meter, today
from webapp.services.root import Services

ABSTAINS = json.dumps({"status": "abstained", "confidence": "low", "statements": []})
PRICES = "other=9/9,tiny=1000/2000"  # 12 tokens sent and 5 received, as the server says: 0.022
SERVED = {"model": "openai_compatible", "model_name": "tiny", "model_prices": PRICES}

Opens = Callable[..., tuple[Meter, Model]]


def request() -> ModelRequest:
    return build_request("How long do I have to return a bike?", "en", hits(BIKE), DEFAULT_BUDGET)


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Opens]:
    """Open the same database once more, as another process does: a collection's meter, and its model metered."""
    with ExitStack() as opened:

        def make(server: ModelServer, collection: str = "shop", **changes: Any) -> tuple[Meter, Model]:
            settings = make_settings(tmp_path, model_base_url=server.url, **{**SERVED, **changes})
            keeper = Keeper(settings)
            opened.callback(keeper.close)
            meter = Meter(collection, settings, keeper)
            return meter, meter.metered(model_client(settings))

        yield make


def spent(meter: Meter) -> list[tuple[int, int, int, int, float]]:
    return [(one.replies, one.estimated, one.tokens_in, one.tokens_out, one.money) for one in meter.spent()]


def test_tokens_and_money_add_up_over_processes_and_restarts(opens: Opens) -> None:
    with serving(says(ABSTAINS)) as server:
        for _ in range(3):
            assert opens(server)[1].reply(request()) == ModelReply(ABSTAINS, model="tiny-1", tokens_in=12, tokens_out=5)
    assert spent(opens(server)[0]) == [(3, 0, 36, 15, 0.066)]
    assert spent(opens(server, "school")[0]) == []


def test_what_a_server_does_not_count_is_estimated_and_said_so(opens: Opens) -> None:
    uncounted = {"choices": [{"finish_reason": "stop", "message": {"content": ABSTAINS}}], "model": "tiny-1"}
    with serving(sends(json.dumps(uncounted))) as server:
        meter, model = opens(server)
        reply = model.reply(request())
    length = len(request().system + request().user)
    assert length / 5 < reply.tokens_in < length / 3
    assert reply.tokens_out == -(-len(ABSTAINS) // 4)
    [one] = meter.spent()
    assert (one.replies, one.estimated, one.tokens_in, one.tokens_out) == (1, 1, reply.tokens_in, reply.tokens_out)
    assert one.nanos == 1_000_000 * reply.tokens_in + 2_000_000 * reply.tokens_out


def test_a_call_that_fails_is_not_counted(opens: Opens) -> None:
    with serving(refuses(400, "no")) as server:
        meter, model = opens(server)
        with pytest.raises(ModelUnavailable):
            model.reply(request())
    assert spent(meter) == []


def test_at_the_cap_the_model_on_this_machine_answers_in_every_process(opens: Opens) -> None:
    with serving(says(ABSTAINS)) as server:
        asked = [opens(server, daily_cap="school=0,0.03")[1].reply(request()) for _ in range(3)]
        assert [reply.model for reply in asked] == ["tiny-1", "tiny-1", "extractive"]
        assert BIKE.sentences[0].text in asked[-1].text
        assert opens(server, "school", daily_cap="school=0,0.03")[1].reply(request()).model == "extractive"
        assert opens(server, "other", daily_cap="school=0,0.03")[1].reply(request()).model == "tiny-1"
    assert len(server.requests) == 3


def test_at_the_cap_there_is_no_answer_where_the_owner_wants_none(opens: Opens) -> None:
    with serving(says(ABSTAINS)) as server, pytest.raises(ModelUnavailable, match=r"0 USD are spent today \(UTC\)"):
        opens(server, daily_cap="0", after_cap="unavailable")[1].reply(request())
    assert server.requests == []


def test_a_new_day_begins_with_nothing_spent(opens: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(says(ABSTAINS)) as server:
        meter, model = opens(server, daily_cap="0.01")
        assert [model.reply(request()).model for _ in range(2)] == ["tiny-1", "extractive"]
        next_year = today().replace(day=1, year=today().year + 1)
        monkeypatch.setattr("webapp.services.meter.today", lambda: next_year)
        assert model.reply(request()).model == "tiny-1"
    assert len(meter.spent(days=800)) == 2


def test_a_cap_without_a_price_can_not_be_kept_so_the_model_is_not_asked(opens: Opens) -> None:
    with serving(says(ABSTAINS)) as server:
        _, model = opens(server, daily_cap="5", after_cap="unavailable", model_prices="other=1/1")
        with pytest.raises(ModelUnavailable, match="set EVIDENCEDESK_MODEL_PRICES"):
            model.reply(request())
    assert server.requests == []


def test_two_processes_at_once_go_above_the_cap_by_no_more_than_is_in_flight(opens: Opens) -> None:
    """Money for four replies, six questions at a time: whatever their order, the last one that is sent has seen three
    replies counted at most, and six are on their way at most."""
    with serving(says(ABSTAINS)) as server:
        both = [opens(server, daily_cap="0.088") for _ in range(2)]
        with ThreadPoolExecutor(6) as threads:
            replies = list(threads.map(lambda n: both[n % 2][1].reply(request()), range(18)))
    assert 4 <= len(server.requests) <= 3 + 6
    assert spent(both[0][0])[0][0] == len(server.requests) == sum(reply.model == "tiny-1" for reply in replies)


# Through the whole installation


@pytest.fixture
def services(desks: Desks) -> Iterator[Services]:
    """The shop, with a model behind a server and money for one reply a day."""
    desks.services.desk().ensure_index()
    with serving(says(ABSTAINS)) as server:
        changes = SERVED | {"model_base_url": server.url, "daily_cap": "0.01", "currency": "BDT"}
        opened = Services.open(make_settings(desks.folder, **changes))
        yield opened
        opened.close()


def test_answers_pages_and_figures_tell_that_the_cap_is_reached(services: Services, desks: Desks) -> None:
    question = "Within how many days can I return a lamp?"
    first, second = (services.desk().ask(f"{question}{sign}", Reader()) for sign in ("", "?"))  # the same is known
    assert (first.model, second.model) == ("tiny-1", "extractive")
    assert second.answer == "You can return a lamp within 45 days of delivery for a full refund."
    figures = create_app(services.settings, services).test_client().get("/metrics").text
    for line in (
        'evidencedesk_day_tokens{collection="shop",direction="in",model="tiny"} 12.0',
        'evidencedesk_day_tokens{collection="shop",direction="out",model="tiny"} 5.0',
        'evidencedesk_day_replies{collection="shop",counted="by_server",model="tiny"} 1.0',
        'evidencedesk_day_money{collection="shop",currency="BDT",model="tiny"} 0.022',
        'evidencedesk_day_cap_money{collection="shop",currency="BDT"} 0.01',
        'evidencedesk_day_cap_reached{collection="shop"} 1.0',
        'evidencedesk_day_cap_reached{collection="school"} 0.0',
    ):
        assert line in figures


def test_an_evaluation_is_made_by_one_model_or_not_at_all(services: Services) -> None:
    ask = asker(services.desk())
    question = Question(id="1", question="Within how many days can I return a lamp?", answerable=False)
    assert ask(question).model == "tiny-1"
    with pytest.raises(ModelUnavailable, match="that is the cap of shop"):
        ask(question)


def test_a_model_on_this_machine_costs_nothing(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    meter, model = Meter("shop", settings, Keeper(settings)), model_client(settings)
    assert meter.metered(model) is model
    assert meter.standing() is None
