"""Publishing: what goes live, what doesn't and why, and that nothing is ever half done."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Desks
from tests.services.test_root import CUSTOMER, RETURN, ask
from webapp.core.retrieval.model import Role
from webapp.services import publishing
from webapp.services.drafts import sha256
from webapp.services.jobs import Cancelled
from webapp.services.publishing import Act
from webapp.services.worker import do_next
from webapp.store.accounts import Account
from webapp.store.drafts import Draft

GOLDEN = (
    '{"id": "back", "question": "How long do I have to return a lamp?", "answerable": true,'
    ' "document": "returns", "fact": "within 45 days of delivery"}\n'
    '{"id": "moon", "question": "Do you sell tickets to the moon?", "answerable": false}\n'
)


@pytest.fixture
def editor(desks: Desks) -> Account:
    accounts = desks.services.accounts
    accounts.accept(accounts.invite("editor@lamps.example", Role.EDITOR), "", "a long password here")
    return accounts.all()[0]


def draft_of(desks: Desks, editor: Account, path: str, old: str = "", new: str = "") -> Draft:
    """A draft of a page, with one change made."""
    desk, drafts = desks.services.desk(), desks.services.drafts
    draft = drafts.begin_from(editor, desk, path)
    return drafts.change(draft, desk, draft.text.replace(old, new), path) if old else draft


def asked(desks: Desks, editor: Account, **arguments: Any) -> Mapping[str, Any]:
    """Ask for a publication, let a worker do it, and return what came of it."""
    given = {"id": secrets.token_hex(8), "act": "publish", "author_id": editor.id, "message": "A change"}
    job = desks.services.jobs.ask("shop", "publish", given | arguments, editor)
    assert do_next(desks.services)
    ended = desks.services.jobs.get(job.id)
    assert ended
    return ended.result or {"failed": ended.problem}


def published(desks: Desks, editor: Account, draft: Draft, **arguments: Any) -> Mapping[str, Any]:
    return asked(desks, editor, draft=draft.id, text=draft.text_hash, **arguments)


def test_a_draft_goes_live_with_its_next_question(desks: Desks, editor: Account) -> None:
    assert "45 days" in ask(desks).answer
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    result = published(desks, editor, draft, message="More time")
    assert result["outcome"] == "live"
    assert "within 60 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")
    assert "60 days" in ask(desks).answer
    assert desks.services.drafts.of(editor, desks.services.desk()) == ()
    [kept] = desks.services.store.publications.latest("shop", 10)
    assert (kept.act, kept.author, kept.message, kept.document_id) == ("publish", editor.email, "More time", "returns")
    assert (kept.before, kept.after) == (result["before"], result["after"])


def test_a_new_page_goes_live_in_a_new_folder(desks: Desks, editor: Account) -> None:
    ask(desks)
    text = "---\nid: opening\ntitle: Opening hours\n---\n\n## Hours\nThe shop opens at nine in the morning.\n"
    draft = desks.services.drafts.begin(editor, desks.services.desk(), text, "shop/hours.md")
    assert published(desks, editor, draft)["outcome"] == "live"
    assert ask(desks, "When does the shop open?").citations[0].document_id == "opening"


def test_what_lowers_an_agreed_figure_needs_a_reason(desks: Desks, editor: Account) -> None:
    (desks.shop / "golden.jsonl").write_text(GOLDEN, encoding="utf-8")
    before, version = (desks.shop / "returns.md").read_bytes(), ask(desks).index_version
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    result = published(desks, editor, draft)
    assert result["outcome"] == "fell"
    fallen = {one["figure"]: one["lost"] for one in result["figures"] if one["fell"]}
    assert fallen["answered"] == ["How long do I have to return a lamp?"]
    assert (desks.shop / "returns.md").read_bytes() == before
    assert desks.services.desk().live().manifest.id == version
    assert published(desks, editor, draft, reason="The law has changed")["outcome"] == "live"
    assert desks.services.store.publications.latest("shop", 1)[0].override == "The law has changed"


def test_whoever_comes_second_is_told(desks: Desks, editor: Account) -> None:
    first = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    second = draft_of(desks, editor, "returns.md", "full refund", "half a refund")
    assert published(desks, editor, first)["outcome"] == "live"
    after_first = (desks.shop / "returns.md").read_bytes()
    assert published(desks, editor, second)["outcome"] == "changed"
    assert (desks.shop / "returns.md").read_bytes() == after_first
    agreed = desks.services.drafts.rebase(second, desks.services.desk())
    assert published(desks, editor, agreed)["outcome"] == "live"
    assert b"half a refund" in (desks.shop / "returns.md").read_bytes()


def test_a_file_that_changes_while_the_version_is_built_is_not_written_over(
    desks: Desks, editor: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*_: object) -> tuple[()]:
        (desks.shop / "returns.md").write_text("By hand.", encoding="utf-8")
        return ()

    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    monkeypatch.setattr(publishing._Attempt, "_compared", meanwhile)
    assert published(desks, editor, draft)["outcome"] == "changed"
    assert (desks.shop / "returns.md").read_text(encoding="utf-8") == "By hand."


@pytest.mark.parametrize("path", ["returns.md", "new/page.md"])
def test_a_switch_that_fails_puts_the_file_back(
    desks: Desks, editor: Account, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    version = ask(desks).index_version
    drafts, desk = desks.services.drafts, desks.services.desk()
    new = path != "returns.md"
    draft = drafts.begin(editor, desk, "Words.", path) if new else draft_of(desks, editor, path, "45", "60")
    before = None if new else (desks.shop / path).read_bytes()
    monkeypatch.setattr("webapp.core.retrieval.engines.local.LocalDraft.seal", no_space)
    assert published(desks, editor, draft)["failed"] == "[Errno 28] No space left on device"
    assert ((desks.shop / path).read_bytes() if (desks.shop / path).exists() else None) == before
    monkeypatch.undo()
    assert desk.served().id == version  # type: ignore[union-attr]
    assert drafts.get(draft.id, editor) == draft


def test_a_folder_that_is_closed_to_writing_is_said_and_nothing_changes(
    desks: Desks, editor: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(file: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", f"{file}.part")

    version, before = ask(desks).index_version, (desks.shop / "returns.md").read_bytes()
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    monkeypatch.setattr(publishing, "replace_file", closed)
    said = published(desks, editor, draft)["failed"]
    assert said.startswith("returns.md can't be written (Permission denied): its folder must be open")
    assert (desks.shop / "returns.md").read_bytes() == before
    assert ask(desks).index_version == version
    assert desks.services.drafts.get(draft.id, editor) == draft


def test_called_off_it_leaves_nothing(desks: Desks, editor: Account) -> None:
    def call_off(stage: str, done: int, of: int) -> None:
        if stage == "cutting":
            raise Cancelled

    version, draft = ask(desks).index_version, draft_of(desks, editor, "returns.md", "45 days", "60 days")
    about = {"id": "x" * 16, "author": editor.email, "message": "", "reason": ""}
    edition = publishing.edition_of_draft(draft, desks.shop, about)
    with pytest.raises(Cancelled):
        publishing.publish(desks.services.store, desks.services.desk(), edition, call_off)
    assert "45 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")
    assert desks.services.desk().live().manifest.id == version


def test_what_was_asked_for_is_what_is_published(desks: Desks, editor: Account) -> None:
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    desks.services.drafts.change(draft, desks.services.desk(), draft.text + "More.\n", draft.path)
    assert "edited" in published(desks, editor, draft)["failed"]
    assert "45 days" in (desks.shop / "returns.md").read_text(encoding="utf-8")


def test_the_same_publication_is_made_once(desks: Desks, editor: Account) -> None:
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    first = published(desks, editor, draft, id="0123456789abcdef")
    assert published(desks, editor, draft, id="0123456789abcdef") == first
    assert len(desks.services.store.publications.latest("shop", 10)) == 1


def test_pages_that_can_not_be_read_or_take_another_ones_id_are_stopped(desks: Desks, editor: Account) -> None:
    broken = draft_of(desks, editor, "returns.md", "status: current", "status: curent")
    assert "unknown status" in published(desks, editor, broken)["problem"]
    taken = draft_of(desks, editor, "returns.md", "id: returns", "id: bulbs")
    assert "bulbs.md" in published(desks, editor, taken)["problem"]
    assert published(desks, editor, draft_of(desks, editor, "returns.md"))["outcome"] == "same"


def test_line_ends_and_mark_stay_as_they_were(desks: Desks, editor: Account) -> None:
    file = desks.shop / "returns.md"
    before = b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(before)
    file.chmod(0o640)
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    assert published(desks, editor, draft)["outcome"] == "live"
    assert file.read_bytes() == before.replace(b"45 days", b"60 days")
    assert file.stat().st_mode & 0o777 == 0o640


def status_of(desks: Desks, editor: Account, act: Act, path: str = "returns.md", **more: Any) -> Mapping[str, Any]:
    base = sha256((desks.shop / path).read_bytes())
    return asked(desks, editor, act=act.value, path=path, base=base, **more)


def test_withdrawn_and_restored_the_file_is_what_it_was(desks: Desks, editor: Account) -> None:
    assert not ask(desks).abstained
    before = (desks.shop / "returns.md").read_bytes()
    assert status_of(desks, editor, Act.WITHDRAW)["outcome"] == "live"
    assert (desks.shop / "returns.md").read_bytes() == before.replace(b"current", b"withdrawn")
    assert desks.services.desk().ask(RETURN, CUSTOMER).abstained
    assert status_of(desks, editor, Act.RESTORE)["outcome"] == "live"
    assert (desks.shop / "returns.md").read_bytes() == before
    assert ask(desks).citations[0].document_id == "returns"
    acts = [one.act for one in desks.services.store.publications.latest("shop", 10)]
    assert acts == ["restore", "withdraw"]


def test_a_superseded_page_names_its_successor(desks: Desks, editor: Account) -> None:
    assert status_of(desks, editor, Act.SUPERSEDE, successor="delivery")["outcome"] == "live"
    assert b"status: superseded\n" in (desks.shop / "returns.md").read_bytes()
    assert desks.services.desk().live().documents()["returns"].superseded_by == "delivery"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def in_a_repository(desks: Desks) -> Path:
    git(desks.shop, "init", "-q")
    git(desks.shop, "add", ".")
    git(desks.shop, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "First")
    return desks.shop


def test_in_a_repository_it_is_committed_by_its_author_and_nothing_else_is(desks: Desks, editor: Account) -> None:
    folder = in_a_repository(desks)
    (folder / "bulbs.md").write_text("Staged by somebody else.", encoding="utf-8")
    git(folder, "add", "bulbs.md")
    draft = draft_of(desks, editor, "returns.md", "45 days", "60 days")
    result = published(desks, editor, draft, message="--amend; $(reboot)")
    assert result["git"]["state"] == "committed"
    assert git(folder, "log", "-1", "--format=%an <%ae>|%s") == f"{editor.email} <{editor.email}>|--amend; $(reboot)"
    assert git(folder, "show", "--format=", "--name-only") == "returns.md"
    assert git(folder, "status", "--porcelain") == "M  bulbs.md"


def test_git_that_fails_says_so_and_the_page_is_live(desks: Desks, editor: Account) -> None:
    folder = in_a_repository(desks)
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Sunday' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    result = published(desks, editor, draft_of(desks, editor, "returns.md", "45 days", "60 days"))
    assert result["outcome"] == "live"
    assert result["git"] == {"state": "failed", "words": "not on a Sunday"}
    assert "60 days" in ask(desks).answer


KILLED = """
import os, signal, sys
from pathlib import Path
from webapp.core.retrieval.engines import local
from webapp.services import publishing, worker
from webapp.services.root import Services
from webapp.settings import Settings

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

where = sys.argv[2]
if where == "built":
    publishing._Attempt._compared = die
elif where == "writing":  # the page, of which a part is there
    write_page = publishing.write_page
    def begin(*given):
        os.fsync = die
        write_page(*given)
    publishing.write_page = begin
elif where == "written":
    local.LocalDraft.seal = die
services = Services.open(Settings(instance=Path(sys.argv[1]) / "instance", corpus=Path(sys.argv[1]) / "corpus",
                                  collection="shop"))
worker.do_next(services)
"""


@pytest.mark.parametrize(("where", "text"), [("built", "45 days"), ("writing", "45 days"), ("written", "60 days")])
def test_killed_it_leaves_no_half_and_is_carried_on(
    desks: Desks, editor: Account, where: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, draft = ask(desks).index_version, draft_of(desks, editor, "returns.md", "45 days", "60 days")
    given = {"id": "0123456789abcdef", "act": "publish", "author_id": editor.id, "message": ""}
    job = desks.services.jobs.ask("shop", "publish", given | {"draft": draft.id, "text": draft.text_hash}, editor)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(desks.folder), where], check=False, timeout=120)
    assert killed.returncode == -signal.SIGKILL
    said = (desks.shop / "returns.md").read_text(encoding="utf-8")
    assert said == draft.text.replace("60 days", text)
    assert desks.services.desk().served().id == version  # type: ignore[union-attr]
    assert text in ask(desks).answer  # what was written had been approved
    monkeypatch.setattr("webapp.services.jobs.SILENT_SECONDS", 0.0)
    time.sleep(0.01)
    assert do_next(desks.services)
    ended = desks.services.jobs.get(job.id)
    assert ended
    assert ended.result
    assert ended.result["outcome"] == "live"
    assert "60 days" in ask(desks).answer
    assert not list(desks.shop.glob(".*"))
    assert len(desks.services.store.publications.latest("shop", 10)) == 1
    assert os.listdir(desks.settings.instance / "indexes" / "shop")
