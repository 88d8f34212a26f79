"""Settings are named shortly, in the reader's language and digits."""

from __future__ import annotations

import pytest

from tests.pages.editor.conftest import Site
from webapp.core.evaluation.compare import Setting
from webapp.pages.editor.strategy_words import label, option_name

FIXED = Setting("fixed", {"size": 100, "overlap": 20})


@pytest.mark.parametrize(("language", "name"), [("en", "fixed 100/20"), ("bn", "নির্দিষ্ট মাপ ১০০/২০")])
def test_a_setting_is_named_by_strategy_and_options(site: Site, language: str, name: str) -> None:
    with site.app.test_request_context(headers={"Accept-Language": language}):
        assert label(FIXED) == name


def test_a_setting_without_options_has_the_strategys_name(site: Site) -> None:
    with site.app.test_request_context():
        assert label(Setting("paragraph")) == "paragraph"


def test_parts_that_nobody_translated_are_shown_in_english(site: Site) -> None:
    with site.app.test_request_context(headers={"Accept-Language": "bn"}):
        assert label(Setting("by_moonlight")) == "by_moonlight"
        assert option_name("most_stars") == "Most stars"
