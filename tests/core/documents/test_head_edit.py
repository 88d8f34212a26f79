"""Another status in the head, and not one other byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.head_edit import with_status
from webapp.core.documents.model import Status
from webapp.core.documents.reading import document_from_bytes

HEADS = (
    b"---\nid: a\nstatus: current # for now\r\ntitle: 'It''s'\n---\nText.\n",
    b"\xef\xbb\xbf---\r\nstatus: 'current'\r\n---\r\nText.\r\n",
    b'+++\ntitle = "x"\nstatus = "current"\n+++\nText.',
    b'{"status": "current", "title": "x"}\nText.\n',
    b"---\nparams:\n  status: odd\nstatus: current\n---\nText.\n",
)


@pytest.mark.parametrize("data", HEADS)
def test_only_the_word_changes(data: bytes) -> None:
    withdrawn = with_status(data, Status.WITHDRAWN)
    at = data.rindex(b"current")
    quoted = data[at - 1 : at] in (b"'", b'"')
    assert withdrawn.replace(b"withdrawn", b"current") == (
        data.replace(b"'current'", b"current") if quoted and b"'c" in data else data
    )
    assert document_from_bytes(withdrawn, "a.md", CollectionConfig()).status is Status.WITHDRAWN


@pytest.mark.parametrize("data", HEADS)
@pytest.mark.parametrize("successor", ["b", "a/new one", "it's: new"])
def test_a_superseded_page_names_its_successor_until_it_is_restored(data: bytes, successor: str) -> None:
    superseded = with_status(data, Status.SUPERSEDED, successor)
    document = document_from_bytes(superseded, "a.md", CollectionConfig())
    assert (document.status, document.superseded_by) == (Status.SUPERSEDED, successor)
    restored = with_status(superseded, Status.CURRENT)
    assert restored.replace(b"'current'", b"current") == data.replace(b"'current'", b"current")


@pytest.mark.parametrize(
    "data", [b"Text.\n", b"---\nid: a\n---\nText.\n", b"---\nstatus:\n---\nText.\n", b"{}\nText.\n", b""]
)
def test_where_the_head_says_nothing_it_is_added(data: bytes) -> None:
    changed = with_status(data, Status.ARCHIVED)
    assert changed.endswith(data.rpartition(b"---\n")[2].removeprefix(b"{}"))
    assert document_from_bytes(changed, "a.md", CollectionConfig()).status is Status.ARCHIVED


@pytest.mark.parametrize(
    "data", [b"---\nstatus: >\n  current\n---\nText.\n", b"---\nid: a\n\nNever closed.", b"\xff\xfeT\x00"]
)
def test_what_can_not_be_changed_is_said(data: bytes) -> None:
    with pytest.raises(DocumentError):
        with_status(data, Status.WITHDRAWN)


@settings(max_examples=60, derandomize=True)
@given(st.text(alphabet=st.sampled_from("ab:#'\" \n-কা।"), max_size=40), st.sampled_from(["\n", "\r\n"]))
def test_the_body_is_never_touched(body: str, end: str) -> None:
    head = end.join(["---", "id: x", "status: current", "---", ""])
    data = (head + body).encode()
    assert with_status(data, Status.WITHDRAWN).endswith(f"{end}---{end}{body}".encode())
    assert with_status(with_status(data, Status.WITHDRAWN), Status.CURRENT) == data
