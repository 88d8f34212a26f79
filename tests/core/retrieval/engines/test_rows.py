from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.core.retrieval.helpers import a_collection
from webapp.core.chunking.cut import cut
from webapp.core.documents.model import Status
from webapp.core.retrieval.engines._rows import AccessRanges
from webapp.core.retrieval.visibility import Access


def test_an_access_keeps_its_number_when_it_comes_again(tmp_path: Path) -> None:
    (document,) = a_collection(tmp_path, {"page": "## One\n\nbike."}).documents
    (chunk,) = cut(document, "structure", {})
    draft = replace(chunk, status=Status.DRAFT)
    ranges = AccessRanges()
    assert [ranges.add(one, row) for row, one in enumerate([chunk, chunk, draft, chunk, draft])] == [0, 0, 1, 0, 1]
    first, second = ranges.listed
    assert (first["ranges"], second["ranges"]) == ([[0, 2], [3, 4]], [[2, 3], [4, 5]])
    assert [Access.from_json(one) for one in (first, second)] == [Access.of(chunk), Access.of(draft)]
