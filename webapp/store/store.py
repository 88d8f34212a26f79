"""The store as a whole: one database, a repository for each kind of thing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from webapp.store.accounts import Accounts, Links, Sessions
from webapp.store.answers import Answers
from webapp.store.asked import AskedQuestions
from webapp.store.copying import database_problem
from webapp.store.database import Database, open_database
from webapp.store.drafts import Drafts
from webapp.store.feedback import Feedback
from webapp.store.finding import Finder
from webapp.store.gaps import GapQuestions
from webapp.store.jobs import Jobs
from webapp.store.keys import ApiKeys
from webapp.store.proposals import Proposals
from webapp.store.publications import Publications
from webapp.store.rates import Rates
from webapp.store.runs import Runs
from webapp.store.signers import Signers
from webapp.store.snapshots import Snapshots
from webapp.store.spending import Spending


class Store:
    """Everything that is kept."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.answers = Answers(database)
        self.asked = AskedQuestions(database)
        self.snapshots = Snapshots(database)
        self.finder = Finder(database)
        self.feedback = Feedback(database)
        self.gaps = GapQuestions(database)
        self.jobs = Jobs(database)
        self.accounts = Accounts(database)
        self.links = Links(database)
        self.sessions = Sessions(database)
        self.keys = ApiKeys(database)
        self.rates = Rates(database)
        self.signers = Signers(database)
        self.runs = Runs(database)
        self.proposals = Proposals(database)
        self.drafts = Drafts(database)
        self.publications = Publications(database)
        self.spending = Spending(database)

    @classmethod
    def open(cls, url: str) -> Store:
        """Open the database at that address, with the newest tables. Raises DatabaseError."""
        return cls(open_database(url))

    def ping(self) -> None:
        """Raise sqlalchemy's error when the database doesn't answer."""
        with self._database.reading() as connection:
            connection.execute(sa.text("SELECT 1"))

    def now(self) -> datetime:
        """The moment by the database's clock: what machines agree on."""
        return self._database.now()

    def damage(self) -> str:
        """Say what is wrong inside a SQLite database, "" when nothing is; a server looks after its own."""
        file = None if self._database.on_server else self._database.engine.url.database
        return database_problem(Path(file)) if file else ""

    def server_problem(self) -> str:
        """Say what is wrong with a server and what to do, "" when nothing is, or there is none."""
        return self._database.problem()

    def keep_for(self, days: int) -> int:
        """Erase the answers older than so many days (0: none); returns how many."""
        return self.answers.erase_before(datetime.now(UTC) - timedelta(days=days)) if days else 0

    def close(self) -> None:
        """Give the connections back."""
        self._database.engine.dispose()
