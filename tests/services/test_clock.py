"""The clock goes back, as it does when a machine learns the right time: nothing is lost, locked or waited for longer
than it would be otherwise."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.conftest import Desks
from webapp.core.retrieval.model import Reader, Role
from webapp.services.accounts import AccountError
from webapp.services.index_notes import Failure
from webapp.services.model import StoredAnswer
from webapp.store.jobs import JobState
from webapp.store.schema import Moment, metadata

PASSWORD = "a long password"
QUESTION = "Within how many days can I return a lamp?"


def turn_back(desks: Desks, hours: int) -> None:
    """Let everything that is kept have happened so many hours later: to the program, that is the clock going back."""
    later = f"+{hours} hours"
    with desks.services.store._database.writing() as connection:
        for table in metadata.sorted_tables:
            for column in (one for one in table.columns if isinstance(one.type, Moment)):
                moment = sa.func.strftime("%Y-%m-%d %H:%M:%f", column, later)
                connection.execute(table.update().where(column.is_not(None)).values({column: moment}))


def test_sessions_and_links_go_on(desks: Desks) -> None:
    accounts = desks.services.accounts
    session = accounts.accept(accounts.invite("ada@lamps.example", Role.EDITOR), "", PASSWORD)
    link = accounts.invite("bob@lamps.example", Role.EDITOR)
    turn_back(desks, hours=30)
    assert accounts.of_session(session)
    assert accounts.accept(link, "", PASSWORD)


def test_an_account_is_locked_no_longer_than_it_may_be(desks: Desks) -> None:
    accounts = desks.services.accounts
    accounts.accept(accounts.invite("ada@lamps.example", Role.EDITOR), "", PASSWORD)
    for _ in range(desks.settings.lockout_attempts):
        with pytest.raises(AccountError):
            accounts.sign_in("ada@lamps.example", "wrong")
    with pytest.raises(AccountError):
        accounts.sign_in("ada@lamps.example", PASSWORD)
    turn_back(desks, hours=24 * 365)
    assert accounts.sign_in("ada@lamps.example", PASSWORD)


def test_the_work_of_a_worker_that_died_is_done_by_the_next(desks: Desks) -> None:
    jobs = desks.services.jobs
    job = jobs.ask("shop", "index")
    assert jobs.claim(("shop",))
    assert jobs.claim(("shop",)) is None, "its worker lives"
    turn_back(desks, hours=1)
    again = jobs.claim(("shop",))
    assert again
    assert (again.id, again.state) == (job.id, JobState.RUNNING)


def test_answers_open_as_before_and_are_kept_for_their_time(desks: Desks) -> None:
    desks.services.desk().ensure_index()
    first = desks.services.desk().ask(QUESTION, Reader())
    turn_back(desks, hours=1)
    second = desks.services.desk().ask(QUESTION, Reader())
    assert first.id != second.id
    for one in (first, second):
        assert isinstance(desks.services.answer(one.id, Reader()), StoredAnswer)
    desks.services.tidy()
    assert isinstance(desks.services.answer(first.id, Reader()), StoredAnswer), "it is as young as it was"


def test_rates_are_counted_anew_instead_of_for_hours(desks: Desks) -> None:
    rates, minute = desks.services.store.rates, timedelta(minutes=1)
    for _ in range(3):
        rates.add("somebody", 1, minute, datetime.now(UTC))
    turn_back(desks, hours=5)
    counted = rates.add("somebody", 1, minute, datetime.now(UTC))
    assert counted.count == 1
    assert counted.over_at <= datetime.now(UTC) + minute


def test_a_build_that_failed_is_tried_again(desks: Desks) -> None:
    assert Failure(state="s", at=time.time() - 1).stands
    assert not Failure(state="s", at=time.time() + 3600).stands
