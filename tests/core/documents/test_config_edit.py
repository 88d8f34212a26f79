from __future__ import annotations

import tomllib

import pytest

from webapp.core.documents.config_edit import with_number

HEAD = 'name = "a"\nlanguages = ["en"]  # one\n'
TABLES = '\n# Words\n[title]\nen = "A"\n'


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", "cost = 0.1\n"),
        (HEAD + TABLES, HEAD + "cost = 0.1\n" + TABLES),
        ("cost = 0.05 # low\n" + HEAD + TABLES, "cost = 0.1 # low\n" + HEAD + TABLES),
        (TABLES, "cost = 0.1\n" + TABLES),
        ('groups = [\n  "a",\n]\n' + TABLES, 'cost = 0.1\ngroups = [\n  "a",\n]\n' + TABLES),
        ("[a]\ncost = 3\n", "cost = 0.1\n[a]\ncost = 3\n"),
        ('name = "a"\r\n', 'name = "a"\r\ncost = 0.1\r\n'),
        ('name = "a"', 'cost = 0.1\nname = "a"'),
    ],
)
def test_one_number_changes_and_no_other_byte(text: str, changed: str) -> None:
    assert with_number(text, "cost", 0.1) == changed
    assert tomllib.loads(changed)["cost"] == 0.1


@pytest.mark.parametrize("text", ["name = ", '"cost" = 3\n', "cost.of = 3\n"])
def test_what_isnt_understood_is_left_to_people(text: str) -> None:
    with pytest.raises(ValueError, match=r"by hand|value"):
        with_number(text, "cost", 0.1)
