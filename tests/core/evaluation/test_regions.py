import pytest

from webapp.core.evaluation.regions import Regions

TEXT = """---
title: # not a heading
---
Before any heading.

# One

Text.
## Two
```
# a comment
## another
```
Three
=====
text
- item
---
last
"""
FILE = TEXT.split("\n")


@pytest.mark.parametrize(
    ("lines", "starts"),
    [
        ((4, 4), [4]),
        ((8, 8), [6]),
        ((8, 9), [6, 9]),
        ((11, 12), [9]),
        ((14, 19), [14]),
        ((4, 19), [4, 6, 9, 14]),
        ((1, 1), [4]),
        ((99, 99), [14]),
    ],
)
def test_lines_stand_for_the_headings_above_them(lines: tuple[int, int], starts: list[int]) -> None:
    assert Regions(FILE, 4).of(*lines) == starts


def test_fences_close_only_with_their_own_marks() -> None:
    text = ["~~~", "# no", "~~~ no end", "```", "~~~", "# yes"]
    assert Regions(text).of(1, 6) == [1, 6]


def test_an_underlined_paragraph_is_one_heading() -> None:
    assert Regions(["x", "", "a long", "heading", "-------", "text"]).of(1, 6) == [1, 3]


def test_a_rule_after_a_blank_line_is_no_heading() -> None:
    assert Regions(["text", "", "---", "text"]).of(1, 4) == [1]


def test_a_fence_in_a_list_is_closed_where_the_list_stands() -> None:
    text = ["1. step", "   ```", "   # no", "    ```", "# yes", "```", "# no", "       ```", "# no"]
    assert Regions(text).of(1, 9) == [1, 5]


def test_marks_within_a_line_open_no_fence() -> None:
    assert Regions(["```code``` said inline", "", "# yes"]).of(1, 3) == [1, 3]


def test_a_bold_line_can_be_underlined_a_rule_can_not() -> None:
    assert Regions(["x", "", "**Bold**", "---", "text", "", "***", "---", "text"]).of(1, 9) == [1, 3]
