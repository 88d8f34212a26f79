from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import SHOP, Desks
from webapp.core.evaluation.questions import Label, Place, Question
from webapp.services.golden import BroughtIn, GoldenProblem, GoldenTrouble
from webapp.services.measuring import golden_questions
from webapp.services.model import UnknownCollection


def test_a_vote_becomes_a_proposal(desks: Desks) -> None:
    golden = desks.services.golden
    label = {"document": "bulbs", "lines": [10, 10]}
    made = golden.propose("shop", "  Which bulb\nfits? ", "reader", None, label, " wrong page ")
    found, more = golden.proposals("shop")
    assert not more
    assert [(one.id, one.question, one.note) for one in found] == [(made, "Which bulb fits?", "wrong page")]
    assert golden.proposal("shop", made) == found[0]
    assert golden.proposal("school", made) is None


def test_what_is_dismissed_can_be_brought_back(desks: Desks) -> None:
    golden = desks.services.golden
    made = golden.propose("shop", "Which bulb fits?", "agent")
    golden.dismiss(made)
    assert golden.waiting("shop") == 0
    golden.reopen(made)
    assert golden.waiting("shop") == 1
    golden.take(made)
    assert golden.waiting("shop") == 0


def test_a_proposal_needs_a_question_an_origin_and_a_collection(desks: Desks) -> None:
    golden = desks.services.golden
    with pytest.raises(ValueError, match="question"):
        golden.propose("shop", " \n ", "reader")
    with pytest.raises(ValueError, match="origin"):
        golden.propose("shop", "Which bulb fits?", "robot")
    with pytest.raises(UnknownCollection):
        golden.propose("cellar", "Which bulb fits?", "reader")


# The file

OLD = '{"id": "old", "question": "Which bulb?", "answerable": true, "document": "bulbs", "fact": "E14", "note": "hers"}'
SWIM = '{"id": "swim",  "question": "Can lamps swim?", "answerable": false}'
NEW = Question(
    id="new", question="How dear is delivery?", answerable=True, labels=(Label(document="delivery", fact="5 euros"),)
)


@pytest.fixture
def shop(desks: Desks) -> Desks:
    (desks.shop / "golden.jsonl").write_bytes(f"{OLD}\r\n\r\n{SWIM}".encode())
    return desks


def text(desks: Desks) -> str:
    return (desks.shop / "golden.jsonl").read_bytes().decode()


def mark(desks: Desks, question_id: str) -> str:
    line = desks.services.golden.file("shop").find(question_id)
    assert line
    return line.mark


def test_a_collection_without_a_file_has_an_empty_set(desks: Desks) -> None:
    assert desks.services.golden.file("shop").lines == ()
    desks.services.golden.put("shop", NEW)
    assert golden_questions(desks.shop) == (NEW,)


def test_adding_changing_and_removing_touch_one_line(shop: Desks) -> None:
    golden = shop.services.golden
    golden.put("shop", NEW)
    assert text(shop).startswith(f"{OLD}\r\n\r\n{SWIM}\r\n" + '{"id": "new"')
    changed = NEW.model_copy(update={"id": "old"})
    golden.put("shop", changed, "old", mark(shop, "old"))
    assert '"note": "hers"' in text(shop)
    assert golden.file("shop").questions[0] == changed
    golden.remove("shop", 1, mark(shop, "old"))
    assert text(shop).startswith(f"\r\n{SWIM}\r\n")


def test_two_editors_of_one_question_meet_and_of_two_dont(shop: Desks) -> None:
    golden = shop.services.golden
    seen = mark(shop, "old"), mark(shop, "swim")
    golden.put("shop", Question(id="swim", question="Do lamps swim?", answerable=False), "swim", seen[1])
    golden.put("shop", NEW.model_copy(update={"id": "old"}), "old", seen[0])
    assert "Do lamps swim?" in text(shop)
    before = text(shop)
    for change in (
        lambda: golden.put("shop", NEW.model_copy(update={"id": "old"}), "old", seen[0]),
        lambda: golden.remove("shop", 1, seen[0]),
        lambda: golden.put("shop", NEW, "gone", seen[0]),
    ):
        with pytest.raises(GoldenProblem) as caught:
            change()
        assert caught.value.code is GoldenTrouble.CHANGED
    assert text(shop) == before


def test_many_editors_at_once_lose_nothing(shop: Desks) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: shop.services.golden.put("shop", NEW.model_copy(update={"id": f"n{n}"})), range(24)))
    assert {question.id for question in golden_questions(shop.shop)} == {"old", "swim", *(f"n{n}" for n in range(24))}


def test_an_id_is_had_once(shop: Desks) -> None:
    for replaces, seen in ((None, ""), ("swim", mark(shop, "swim"))):
        with pytest.raises(GoldenProblem, match="id already"):
            shop.services.golden.put("shop", NEW.model_copy(update={"id": "old"}), replaces, seen)


def test_a_file_that_is_no_text_is_left_as_it_is(desks: Desks) -> None:
    (desks.shop / "golden.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(GoldenProblem, match="UTF-8"):
        desks.services.golden.put("shop", NEW)
    assert (desks.shop / "golden.jsonl").read_bytes() == b"\xff\xfe"


def test_a_disk_that_takes_nothing_is_said(shop: Desks, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webapp.services.golden.replace_file", full)
    before = text(shop)
    with pytest.raises(GoldenProblem, match="room"):
        shop.services.golden.put("shop", NEW)
    assert text(shop) == before


def test_bringing_in_keeps_lines_as_they_are_written(shop: Desks) -> None:
    given = (
        '{"id":"new" ,"question":"Why?","answerable":false,"mine":1}\n' + SWIM.replace("swim?", "sink?") + "\n" + OLD
    )
    golden = shop.services.golden
    assert golden.bring_in("shop", given) == BroughtIn(added=1, same=1, left=1)
    assert text(shop) == f"{OLD}\r\n\r\n{SWIM}\r\n" + '{"id":"new" ,"question":"Why?","answerable":false,"mine":1}\r\n'
    assert golden.bring_in("shop", given, replace=True) == BroughtIn(replaced=1, same=2)
    assert "Can lamps sink?" in text(shop)


def test_what_is_brought_in_comes_whole_or_not_at_all(shop: Desks) -> None:
    before = text(shop)
    with pytest.raises(GoldenProblem) as caught:
        shop.services.golden.bring_in("shop", '{"id":"new","question":"Why?","answerable":false}\n{"id":"x"}\n\n[')
    assert [line.number for line in caught.value.lines] == [2, 4]
    assert text(shop) == before


def test_labels_are_checked_in_the_files_and_a_moved_text_is_found(shop: Desks) -> None:
    golden = shop.services.golden
    shop.services.desk("shop").ensure_index()
    golden.put("shop", NEW.model_copy(update={"labels": (Label(document="delivery", lines=(13, 13)),)}))
    assert [one.broken for one in golden.checked("shop")] == [False, False, False]
    (shop.shop / "delivery.md").write_text(
        SHOP["delivery.md"].replace("## How we deliver\nParcels", "Parcels").replace("\n## Damaged parcels\n", "")
    )
    (shop.shop / "bulbs.md").write_text(SHOP["bulbs.md"].replace("an E14 socket", "a screw"))
    checked = golden.checked("shop")
    assert [one.broken for one in checked] == [True, False, True]
    suggest = golden.searcher("shop")
    assert suggest(checked[2].labels[0].label) == Place("delivery", 10, 10)
