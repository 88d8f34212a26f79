"""Figures that a statement gives to another case of the same sentence, and true statements in other words."""

import pytest

from tests.core.answering.fakes import chunk
from webapp.core.answering.model import Reason, Withheld
from webapp.core.answering.pairing import mixed_up, parts
from webapp.core.answering.support import check_support

MUSEUM = "The museum opens at 8 on weekdays and at 10 on Saturdays."
ROOMS = "A single room costs Tk 900 a night, a double room Tk 1,400."
POTHOLES = "Potholes are repaired within 72 hours on arterial roads and within 5 business days on residential streets."
BOOKS = "Undergraduates may borrow 4 books and postgraduates 6 books."
DESK = "On weekdays, the desk closes at 5 p.m., and on Sundays, it closes at 1 p.m."
TERMS = "The autumn term begins on 4 September and the spring term on 10 February."
ROOMS_BN = "একক কক্ষের ভাড়া ৯০০ টাকা, দ্বৈত কক্ষের ভাড়া ১,৪০০ টাকা।"
MUSEUM_BN = "শনিবার সকাল ১০টায় আর কর্মদিবসে সকাল ৮টায় জাদুঘর খোলে।"
TICKETS = "Adults pay $12 and children under ten pay $5."
GYM = "The gym is open until 22:00 from Monday to Thursday, until 20:00 on Fridays and until 14:00 on weekends."
PRINTING = "Print jobs cost 5 taka a page in black and white and 20 taka a page in colour."
FINES = "A first offence is fined $50; a second one costs $200."
WARRANTY = "For laptops the warranty runs 24 months, for batteries 6 months."
WATER = "Water is shut off for 4 hours in the north and for 9 hours in the south of the town."
PLANS = "The basic plan has 10 GB of storage and one user, the team plan has 100 GB and five users."
APPEALS = "Applications are decided within 15 days, appeals within 45 days."
TICKETS_BN = "প্রাপ্তবয়স্কদের টিকিট ১০০ টাকা এবং শিশুদের টিকিট ৪০ টাকা।"
TRAVEL_BN = "ঢাকায় পৌঁছাতে ৩ দিন লাগে, চট্টগ্রামে ৬ দিন।"
SHOP_BN = "রবিবার দোকান ৯টায় খোলে, কিন্তু শুক্রবার ৩টায় খোলে।"

MIXED_UP = [
    (MUSEUM, "The museum opens at 10 on weekdays."),
    (MUSEUM, "It opens at 8 on Saturdays."),
    (MUSEUM, "It opens at 10 on weekdays and at 8 on Saturdays."),
    (ROOMS, "A double room costs Tk 900 a night."),
    (POTHOLES, "On residential streets a pothole is repaired within 72 hours."),
    (POTHOLES, "Arterial roads are repaired within 5 business days."),
    (BOOKS, "Undergraduates may borrow 6 books."),
    (DESK, "On Sundays the desk closes at 5 p.m."),
    (TERMS, "The spring term begins on 4 September."),
    (TERMS, "The autumn term begins on 10 February."),
    (ROOMS_BN, "দ্বৈত কক্ষের ভাড়া ৯০০ টাকা।"),
    (MUSEUM_BN, "কর্মদিবসে জাদুঘর ১০টায় খোলে।"),
    (PRINTING, "A colour page costs 5 taka."),
    (PRINTING, "Black and white printing costs 20 taka a page."),
    (WARRANTY, "Batteries have a warranty of 24 months."),
    (WARRANTY, "The laptop warranty runs 6 months."),
    (PLANS, "The team plan has 10 GB of storage."),
    (APPEALS, "Appeals are decided within 15 days."),
    (TICKETS_BN, "শিশুদের টিকিট ১০০ টাকা।"),
    (TRAVEL_BN, "চট্টগ্রামে পৌঁছাতে ৩ দিন লাগে।"),
    (SHOP_BN, "শুক্রবার দোকান ৯টায় খোলে।"),
]

TRUE = [
    (MUSEUM, "On Saturdays the museum opens at 10."),
    (MUSEUM, "The museum opens at 8 from Monday to Friday."),
    (MUSEUM, "On weekdays it is open from 8."),
    (MUSEUM, "It opens at 8 on weekdays and at 10 on Saturdays."),
    (ROOMS, "You pay Tk 1,400 for a double room."),
    (ROOMS, "Rooms cost Tk 900 or Tk 1,400."),
    (POTHOLES, "A pothole on an arterial road is mended in 72 hours."),
    (POTHOLES, "On a residential street it takes 5 business days at most."),
    (BOOKS, "Postgraduates can take 6 books."),
    (BOOKS, "You may borrow 6 books if you are a postgraduate."),
    (BOOKS, "An undergraduate can have four books."),
    (DESK, "The desk closes at 5 p.m. on weekdays."),
    (DESK, "It is open until 1 p.m. on Sundays."),
    (TERMS, "The spring term starts on 10 February."),
    (TERMS, "Autumn term: 4 September."),
    (ROOMS_BN, "একক কক্ষে থাকতে ৯০০ টাকা লাগে।"),
    (MUSEUM_BN, "শনিবার জাদুঘর ১০টায় খোলে।"),
    (TICKETS, "An adult ticket is $12."),
    (TICKETS, "For a child under ten it is $5."),
    (GYM, "On weekends the gym closes at 14:00."),
    (GYM, "The gym is open until 22:00 on Mondays."),
    (PRINTING, "Printing in colour costs 20 taka a page."),
    (PRINTING, "Black and white pages cost 5 taka each."),
    (FINES, "The second offence costs $200."),
    (FINES, "You pay $50 for a first offence."),
    (WARRANTY, "The warranty of a laptop is 24 months."),
    (WARRANTY, "A battery is covered for 6 months."),
    (WATER, "The north is without water for 4 hours."),
    (PLANS, "With the team plan you get 100 GB."),
    (PLANS, "The basic plan is for one user and has 10 GB."),
    (APPEALS, "An appeal is decided within 45 days."),
    (APPEALS, "You hear about your application within 15 days."),
    (TICKETS_BN, "শিশুর টিকিটের দাম ৪০ টাকা।"),
    (TRAVEL_BN, "চট্টগ্রামে যেতে ৬ দিন লাগবে।"),
    (SHOP_BN, "শুক্রবার বিকেল ৩টায় দোকান খোলে।"),
]


def _lang(text: str) -> str:
    return "bn" if text > "\u0980" else "en"


@pytest.mark.parametrize(("source", "statement"), MIXED_UP)
def test_a_figure_of_another_case_is_noticed(source: str, statement: str) -> None:
    assert mixed_up(statement, [source], _lang(source))


@pytest.mark.parametrize(("source", "statement"), TRUE)
def test_what_is_true_in_other_words_is_left_alone(source: str, statement: str) -> None:
    assert mixed_up(statement, [source], _lang(source)) == ""


def test_another_sentence_may_bear_it_out() -> None:
    assert mixed_up("It opens at 10 on weekdays.", [MUSEUM, "In winter it opens at 10 on weekdays."], "en") == ""


@pytest.mark.parametrize("text", ["", " ", ",", "no figure at all, and none here", "5", "5, 6 and 7", "।"])
def test_any_text_is_taken_apart(text: str) -> None:
    assert all(part.figures for part in parts(text, "en"))
    assert mixed_up(text, [text], "en") == ""


def test_a_statement_that_mixes_cases_up_is_withheld() -> None:
    source = chunk("museum", 0, [MUSEUM])
    check_support("On Saturdays the museum opens at 10.", [source], "en")
    with pytest.raises(Withheld, match="another figure for: weekday") as caught:
        check_support("The museum opens at 10 on weekdays.", [source], "en")
    assert caught.value.reason is Reason.UNSUPPORTED_NUMBER
