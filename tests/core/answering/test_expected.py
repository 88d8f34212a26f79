from __future__ import annotations

import pytest

from webapp.core.answering.expected import Expected, expected_answer, holds_answer


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long do I have to return a bike?", Expected.DURATION),
        ("How many days do I have?", Expected.DURATION),
        ("When do gift cards expire?", Expected.TIME),
        ("By when must I pay?", Expected.TIME),
        ("How much does delivery cost?", Expected.MONEY),
        ("What is the late fee?", Expected.MONEY),
        ("By when do I have to pay the fees?", Expected.TIME),
        ("How much does it cost when I return it?", Expected.MONEY),
        ("What happens if nobody is home when the courier comes?", Expected.OTHER),
        ("How many gift cards can I buy?", Expected.NUMBER),
        ("Can I return a helmet?", Expected.OTHER),
        ("Is the delivery fee refunded?", Expected.OTHER),
        ("Why are bikes recalled?", Expected.REASON),
        ("কেন ফেরত নেওয়া হয় না?", Expected.REASON),
        ("কত দিনের মধ্যে ফেরত দেওয়া যায়?", Expected.NUMBER),
        ("ফেরত দিতে কত দিন সময় পাব?", Expected.DURATION),
        ("মেয়াদ কবে শেষ হয়?", Expected.TIME),
        ("ডেলিভারি খরচ কত?", Expected.MONEY),
        ("কে ফেরত নেবে?", Expected.OTHER),
        ("How do I get my money back?", Expected.STEPS),
        ("What should I do when it is stolen?", Expected.STEPS),
        ("কীভাবে ফেরত দেব?", Expected.STEPS),
    ],
)
def test_a_question_tells_what_it_looks_for(question, kind):
    assert expected_answer(question) is kind


@pytest.mark.parametrize(
    ("kind", "text", "holds"),
    [
        (Expected.DURATION, "within 30 days", True),
        (Expected.DURATION, "for 30 euros", False),
        (Expected.MONEY, "It costs 30 euros.", True),
        (Expected.MONEY, "It takes 30 days.", False),
        (Expected.TIME, "on 14 March", True),
        (Expected.TIME, "since 1952", True),
        (Expected.TIME, "by 6:00 AM", True),
        (Expected.TIME, "by the 10th of the month", True),
        (Expected.TIME, "in its box", False),
        (Expected.NUMBER, "up to 3 per order", True),
        (Expected.NUMBER, "one of them", False),
        (Expected.TIME, "৩০ দিনের মধ্যে", True),
        (Expected.OTHER, "anything", True),
    ],
)
def test_a_sentence_holds_it_or_not(kind, text, holds):
    assert holds_answer(kind, text) is holds
