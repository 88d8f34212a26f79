"""The words that stored answers are found by, told apart as everywhere else, for the search index of the database.

The index itself never decides what a word is: it is given terms with blanks between them, so that Bangla words, codes
and amounts stay whole in SQLite (FTS5) and PostgreSQL (tsvector) alike.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import TSQUERY

from webapp.core.retrieval.words import tokens
from webapp.store.schema import searchable

_LANG = "en"  # for both sides: the script decides all the same, and who searches need not say the language
_PREFIX_FROM = 3  # shorter ones are looked for as they are
_LONGEST = 500  # characters of a term by which it is told from others; PostgreSQL's index takes 2,046 bytes
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def kept_words(*texts: str) -> str:
    """Return the terms of the texts, once each."""
    return " ".join(dict.fromkeys(token.term[:_LONGEST] for text in texts for token in tokens(text, _LANG)))


def position_of(moment: datetime) -> int:
    """Return a moment as microseconds since 1970; one without a zone is UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def moment_of(position: int) -> datetime:
    """Return the moment of a position."""
    return _EPOCH + timedelta(microseconds=position)


def with_words(wanted: str, dialect: str) -> sa.ColumnElement[bool] | None:
    """Return the condition that a row of `searchable` has every word of the text; None when it holds none.

    A word is also found where it begins another one, a code or a number only as it is.
    """
    terms = {
        token.term[:_LONGEST]: not token.exact and len(token.term) >= _PREFIX_FROM for token in tokens(wanted, _LANG)
    }
    if not terms:
        return None
    return _sqlite(terms) if dialect == "sqlite" else _postgres(terms)


def _sqlite(terms: dict[str, bool]) -> sa.ColumnElement[bool]:
    quoted = (f'"{term.replace(chr(34), chr(34) * 2)}"{"*" if begins else ""}' for term, begins in terms.items())
    index = sa.table("searchable_index", sa.column("rowid"))
    match = sa.literal_column("searchable_index").op("MATCH")(" ".join(quoted))
    return searchable.c.position.in_(sa.select(index.c.rowid).where(match))


def _postgres(terms: dict[str, bool]) -> sa.ColumnElement[bool]:
    escaped = {term: term.replace("\\", "\\\\").replace("'", "''") for term in terms}
    query = " & ".join(f"'{escaped[term]}'{':*' if begins else ''}" for term, begins in terms.items())
    rows = sa.table("searchable", sa.column("position"), sa.column("terms"))
    there = sa.select(rows.c.position).where(rows.c.terms.op("@@")(sa.cast(query, TSQUERY)))
    # Found by its index, and first: walking the list until enough are found would walk all of it for a rare word.
    found = there.cte("found").prefix_with("MATERIALIZED")
    return searchable.c.position.in_(sa.select(found.c.position))
