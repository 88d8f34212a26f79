"""A page of a collection: it is the collection that its head names and leads to, and the others are offered."""

from __future__ import annotations

import re

from tests.conftest import Desks


def test_the_head_leads_to_the_question_box_of_the_collection_shown(shared_desks: Desks) -> None:
    shown = shared_desks.client("editor").get("/admin/pages?collection=school").text
    assert re.search(r'class="site-name" href="/c/school/">school <span>', shown)
    offered = re.findall(r'<a href="/admin/pages\?collection=(\w+)" (aria-current="page")?>([^<]+)</a>', shown)
    assert ("shop", "", "Lamp shop") in offered
