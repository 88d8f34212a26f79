from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.web.access import safe_next


@pytest.mark.parametrize("path", ["/", "/admin/chunking?page=a&b=c", "/answers/x#cite-1", "/c/দোকান/"])
def test_addresses_of_this_site_are_kept(path: str) -> None:
    assert safe_next(path) == path


@pytest.mark.parametrize(
    "path",
    [None, "", "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
     "javascript:alert(1)", " /", "/a\r\nSet-Cookie: x=1", "evil.example"],
)  # fmt: skip
def test_all_else_leads_home(path: str | None) -> None:
    assert safe_next(path) == "/"


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("/\\.:@?#a\t\n "), max_size=12))
def test_nothing_leads_off_the_site(path: str) -> None:
    assert urlsplit(urljoin("https://desk.example/sign-in", safe_next(path))).netloc == "desk.example"
