"""What several tests of all pages look at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Desks
from tests.web.lived_in import lived_in_desks


@pytest.fixture(scope="session")
def lived_in(tmp_path_factory: pytest.TempPathFactory, shared_desks: Desks) -> Iterator[Desks]:
    """An installation in which a week has passed, for tests that only read."""
    with lived_in_desks(tmp_path_factory.mktemp("lived-in"), shared_desks.settings.instance / "vectors") as desks:
        yield desks
