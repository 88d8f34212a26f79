"""Index versions: which is served, how an older one comes back, how a new one is built and why it may not be served."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.client import Client
from tests.pages.editor.conftest import Site
from webapp.core.evaluation.paired import Agreed, PairedFigure
from webapp.core.retrieval.model import Role
from webapp.services import worker
from webapp.services.jobs import Cancelled, Job

PAGE = "/admin/index"
BUILD = "/admin/index/build"
FIXED = {"collection": "kestrel", "a": "fixed", "a-fixed-size": "100", "a-fixed-overlap": "20"}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bursts of changes are over at once."""
    monkeypatch.setattr("webapp.services.index.QUIET", 0.0)


def offered(html: str) -> list[str]:
    """The versions that can be served instead."""
    return re.findall(r'name="version" value="([^"]+)"', html)


def words(html: str) -> str:
    """The page's text, white space folded."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def latest(site: Site) -> Job:
    job = site.services.jobs.latest("kestrel", "index")
    assert job
    return job


def live(site: Site) -> str:
    """The version that is served; the files are not looked at."""
    served = site.services.desk().served()
    return served.id if served else ""


@pytest.fixture
def built(site: Site) -> Site:
    """The collection, with its first version."""
    site.live_version()
    return site


class TestServing:
    def test_it_is_for_editors(self, site: Site) -> None:
        assert site.client().get(PAGE).status_code == 302
        assert site.client(Role.AGENT).get(PAGE).status_code == 403
        assert site.client(Role.AGENT).post(PAGE, {"version": "x"}).status_code == 403
        assert site.client(Role.AGENT).post(BUILD, FIXED).status_code == 403

    def test_before_the_first_version(self, make_site: Callable[..., Site]) -> None:
        page = words(make_site(new=True).client(Role.EDITOR).get(PAGE).text)
        assert "There is no version yet." in page
        assert "nothing can be answered until a version is built" in page

    def test_the_version_that_is_served_is_told_apart(self, editor: Client, built: Site) -> None:
        page = editor.get(PAGE).text
        manifest = built.services.desk().live().manifest
        assert offered(page) == []
        assert "served now" in page
        assert f"<code>{manifest.id}</code>" in page
        assert f'title="{manifest.corpus_hash}"' in page
        said = words(page)
        assert "Cut by paragraph · 13 pages · 36 sections · 36 chunks" in said
        assert "built by itself, because files had changed · meaning read by word-counts" in said
        assert "The version that is served is kept, with the newest 4 others" in said

    def test_an_older_version_comes_back_with_one_press_and_goes_again(self, editor: Client, built: Site) -> None:
        first = live(built)
        built.services.desk().index("fixed", {"size": 100, "overlap": 20})
        second = live(built)
        assert offered(editor.get(PAGE).text) == [first]
        response = editor.post(PAGE, {"collection": "kestrel", "version": first})
        assert response.status_code == 303
        assert built.live_version() == first
        assert offered(editor.get(response.headers["Location"]).text) == [second]

    def test_a_version_that_is_not_there_changes_nothing(self, editor: Client, built: Site) -> None:
        before = live(built)
        for version in ("", "nothing", "../../etc"):
            response = editor.post(PAGE, {"collection": "kestrel", "version": version})
            assert response.status_code == 422
            assert "The one before stays." in response.text
        assert live(built) == before

    def test_files_held_back_are_named_with_line_and_reason(self, site: Site) -> None:
        (site.folder / "broken.md").write_text("---\ntitle: never closed\n\nText.\n", encoding="utf-8")
        site.live_version()
        page = site.client(Role.EDITOR).get(PAGE).text
        assert "1 file held back" in page
        assert "<code>broken.md</code>, line 1: <span" in page

    def test_it_is_in_the_readers_language(self, built: Site) -> None:
        assert "সূচির সংস্করণ" in built.client(Role.EDITOR, "bn").get(PAGE).text


class TestWhatDiffers:
    def test_pages_added_changed_and_removed_are_counted_and_named(self, editor: Client, built: Site) -> None:
        (built.folder / "new.md").write_text("---\nid: new\ntitle: A new page\nstatus: current\n---\nText.\n")
        returns = built.folder / "returns-policy.md"
        returns.write_text(returns.read_text(encoding="utf-8").replace("30 days", "40 days"), encoding="utf-8")
        (built.folder / "gift-cards.md").unlink()
        built.live_version()
        said = words(editor.get(PAGE).text)
        assert "Added : 1 · Changed : 1 · Removed : 1" in said.replace(": 1", " : 1").replace("  ", " ")
        for name in ("A new page new.md", "Returns policy returns-policy.md", "gift-cards.md"):
            assert name in said

    def test_the_same_pages_cut_in_another_way(self, editor: Client, built: Site) -> None:
        built.services.desk().index("fixed", {"size": 100, "overlap": 20})
        said = words(editor.get(PAGE).text)
        assert "Cut by fixed 100/20" in said
        assert "The same pages as in the version before." in said

    def test_many_are_not_all_named(self, editor: Client, built: Site) -> None:
        for number in range(30):
            (built.folder / f"more-{number:02}.md").write_text(
                f"---\nstatus: current\n---\n# More {number:02}\n\nText.\n"
            )
        built.live_version()
        page = words(editor.get(PAGE).text)
        assert "Added: 30" in page.replace(" :", ":")
        assert "more-19.md" in page
        assert "more-20.md" not in page
        assert "and 10 more" in page

    def test_pages_of_groups_are_named_only_to_those_who_may_see_them(self, built: Site) -> None:
        config = built.folder / "collection.toml"
        config.write_text('groups = ["board"]\n' + config.read_text(encoding="utf-8"), encoding="utf-8")
        built.live_version()
        secret = "---\nid: plans\ntitle: Secret plans\nstatus: current\naudience: board\n---\nText.\n"
        (built.folder / "plans.md").write_text(secret, encoding="utf-8")
        built.live_version()
        assert "Secret plans" not in built.client(Role.EDITOR).get(PAGE).text

    def test_golden_figures_stand_with_the_version_they_are_of(self, editor: Client, site: Site) -> None:
        worker.work_once(site.services)
        page = editor.get(PAGE).text
        run = site.services.store.runs.of_version(live(site), "kestrel")
        assert run
        assert f"/admin/evaluation/runs/{run.id}" in page
        assert f"({run.questions} questions)" in page
        site.services.desk().index("fixed", {"size": 100, "overlap": 20})
        assert words(editor.get(PAGE).text).count("The golden questions have not been asked of it.") == 1


class TestBuilding:
    def test_the_form_holds_how_the_version_is_cut_that_is_served(self, editor: Client, built: Site) -> None:
        built.services.desk().index("fixed", {"size": 100, "overlap": 20})
        page = editor.get(PAGE).text
        assert 'value="fixed" checked' in page
        assert 'name="a-fixed-size" value="100"' in page

    def test_a_build_waits_shows_itself_and_is_served(self, editor: Client, built: Site) -> None:
        before = live(built)
        response = editor.post(BUILD, FIXED)
        assert response.status_code == 303
        waiting = editor.get(response.headers["Location"]).text
        assert "Building the index" in waiting
        assert "Waiting for its turn" in waiting
        assert live(built) == before
        worker.do_next(built.services)
        page = words(editor.get(f"{PAGE}?job={latest(built).id}").text)
        assert "Cut by fixed 100/20" in page
        assert "built by editor-0@kestrel.example" in page
        assert latest(built).asked_by

    def test_what_is_served_already_is_not_built_again(self, editor: Client, built: Site) -> None:
        before = live(built)
        editor.post(BUILD, {"collection": "kestrel", "a": "paragraph"})
        worker.do_next(built.services)
        page = editor.get(f"{PAGE}?job={latest(built).id}").text
        assert "Nothing had to be built" in page
        assert live(built) == before

    @pytest.mark.parametrize(
        ("typed", "said"),
        [
            ({"a-fixed-overlap": "100"}, "The overlap must be smaller than the size."),
            ({"a-fixed-size": "ten"}, "Give a whole number in digits"),
            ({"a": "magic"}, "There is no strategy of this name"),
            ({"a": ""}, "Choose how to cut."),
        ],
    )
    def test_what_can_not_be_built_is_said_by_the_field(
        self, editor: Client, built: Site, typed: dict[str, str], said: str
    ) -> None:
        response = editor.post(BUILD, FIXED | typed)
        assert response.status_code == 422
        assert said in response.text
        assert built.services.jobs.active("kestrel") == []


def falls(figure: PairedFigure) -> Callable[..., tuple[PairedFigure, ...]]:
    return lambda *_given: (figure,)


FELL = PairedFigure(Agreed.FOUND, 20, 18, 9, ("When do gift cards expire?",), (), fell=True)


class TestAVersionThatAnswersWorse:
    @pytest.fixture(autouse=True)
    def worse(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("webapp.services.change.golden_figures", falls(FELL))

    def test_is_not_served_and_the_page_says_why(self, editor: Client, built: Site) -> None:
        before = live(built)
        editor.post(BUILD, FIXED)
        worker.do_next(built.services)
        assert live(built) == before
        assert (latest(built).result or {})["outcome"] == "fell"
        page = words(editor.get(PAGE).text)
        assert "The version cut by fixed 100/20 is not served" in page
        assert "right section among the first five: 9 of 20 questions, before 18" in page
        assert "When do gift cards expire?" in page

    def test_is_served_when_an_editor_says_why_it_may(self, editor: Client, built: Site) -> None:
        editor.post(BUILD, FIXED | {"reason": "A shorter  chunk reads better."})
        worker.do_next(built.services)
        assert built.services.desk().live().manifest.strategy == "fixed"
        assert latest(built).arguments["reason"] == "A shorter chunk reads better."
        assert "is not served" not in words(editor.get(PAGE).text)

    def test_the_form_for_that_carries_the_same_setting(self, editor: Client, built: Site) -> None:
        editor.post(BUILD, FIXED)
        worker.do_next(built.services)
        page = editor.get(PAGE).text
        assert '<input type="hidden" name="a-fixed-size" value="100">' in page
        assert "Why may it be served all the same?" in page

    def test_files_that_changed_are_served_all_the_same(self, built: Site) -> None:
        """A page that is withdrawn must be out at once."""
        before = live(built)
        (built.folder / "gift-cards.md").unlink()
        worker.work_once(built.services)
        assert live(built) != before

    def test_it_is_old_news_once_another_one_is_served(self, editor: Client, built: Site) -> None:
        editor.post(BUILD, FIXED)
        worker.do_next(built.services)
        (built.folder / "gift-cards.md").unlink()
        built.live_version()
        assert "is not served" not in words(editor.get(PAGE).text)


class TestTrouble:
    def test_a_build_that_failed_is_said_with_its_reason(self, editor: Client, built: Site) -> None:
        before = live(built)
        (built.folder / "collection.toml").write_text("title = [", encoding="utf-8")
        worker.work_once(built.services)
        page = words(editor.get(PAGE).text)
        assert "No version can be built from the files as they are now. The last good one is served." in page
        assert "The last build failed:" in page
        assert "collection.toml: " in page
        assert live(built) == before

    def test_one_that_failed_long_ago_stays_to_be_read(self, editor: Client, built: Site) -> None:
        config = built.folder / "collection.toml"
        good = config.read_text(encoding="utf-8")
        config.write_text("title = [", encoding="utf-8")
        worker.work_once(built.services)
        config.write_text(good + "\n# mended\n", encoding="utf-8")
        (built.folder / "gift-cards.md").unlink()
        worker.work_once(built.services)
        page = words(editor.get(PAGE).text)
        assert "No version can be built" not in page
        assert "The last build that failed:" in page

    def test_one_that_was_called_off(self, editor: Client, built: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        (built.folder / "gift-cards.md").unlink()

        def calls_off(*_: Any, **__: Any) -> None:
            raise Cancelled

        monkeypatch.setattr("webapp.services.index.build", calls_off)
        worker.work_once(built.services)
        assert "building from them was called off" in words(editor.get(PAGE).text)

    def test_files_that_are_newer(self, editor: Client, built: Site) -> None:
        (built.folder / "gift-cards.md").unlink()
        assert "The index is not as new as the files." in words(editor.get(PAGE).text)

    def test_an_index_that_was_damaged(self, editor: Client, built: Site) -> None:
        desk = built.services.desk()
        first = live(built)
        desk.index("fixed", {"size": 100, "overlap": 20})
        damage(built, live(built))
        assert desk.verify_index()
        page = words(editor.get(PAGE).text)
        assert "The version that was served is damaged." in page
        assert live(built) == first


def damage(site: Site, version: str) -> None:
    """Change a byte in a version's chunks."""
    home = next((site.services.settings.instance / "indexes").iterdir())
    file = home / "segments" / version / "records.jsonl"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


def test_numbers_and_words_are_in_the_readers_language(built: Site) -> None:
    page = words(built.client(Role.EDITOR, "bn").get(PAGE).text)
    assert "১৩" in page


def test_a_job_of_another_collection_says_nothing_here(editor: Client, built: Site) -> None:
    job = built.services.store.jobs.add("other", "index", {}, None)
    assert "Nothing had to be built" not in editor.get(f"{PAGE}?job={job.id}").text
