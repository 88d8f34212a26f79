from __future__ import annotations

import pytest

from tests.client import Client


@pytest.mark.parametrize(
    ("headers", "whole"),
    [({}, True), ({"HX-Request": "true"}, False), ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, True)],
)
def test_one_view_serves_the_page_and_its_part(client: Client, headers: dict[str, str], whole: bool) -> None:
    response = client.get("/", headers=headers)
    assert ("<html" in response.text) is whole
    assert 'name="question"' in response.text
    assert "HX-Request" in response.headers["Vary"]
