"""What a source bears out and what it doesn't, kind by kind, in English and Bangla: a statement is never the source's
own sentence, so every check is reached. Beside each unsupported one stands what is wrong with it."""

from __future__ import annotations

import pytest

from tests.core.answering.fakes import chunk
from webapp.core.answering.model import Withheld
from webapp.core.answering.support import check_support
from webapp.core.documents.sentences import sentence_spans

CARDS = (
    "Gift cards are sold in all shops and online, up to 3 cards per order. Gift cards expire 36 months after purchase."
)
RETURNS = (
    "You can return a new, unridden bike within 30 days of delivery. We refund the price you paid, and the delivery "
    "fee only if the bike arrived damaged. Opened helmets cannot be returned."
)
FEES = "Semester fees are due by the 10th of the first month. After that a late fee of Rs 500 is added to the bill."
LIBRARY = "Undergraduates may borrow 4 books and postgraduates 6 books, each for 14 days. A loan can be renewed once."
POTHOLES = "A pothole on an arterial road is repaired within 72 hours, on a residential street within 5 business days."
CERTIFICATE = (
    "A medical certificate must be handed in within 7 days. A receipt is not required. Staff may ask for a photo ID."
)
SHOPS = (
    "Our shops in Dhaka, Chattogram and Sylhet are open from 10 a.m. to 8 p.m. every day but Friday. Call Rahim Uddin."
)
TERM = "The autumn term begins on 2024-03-10 and ends on 15 July 2024. Applications close on 31/05/2024."
EXAMS = "Exams are held from 5 to 9 May. The results come out in June 2025, after the meeting on 2 June."
RECALL = "We recall Roadster 2 bikes with serial numbers starting with RD2-24. The stem is replaced free of charge."
PRICES = "A day ticket costs $1,500 for groups. Members pay 7.5% less. The parcel may weigh 2.5 kg at most."
COURSE = "The course takes four weeks and costs two thousand taka. It needs at least 10 learners."
DELIVERY_BN = (
    "একটি সাইকেল পৌঁছে দেওয়ার খরচ ৬০০ টাকা। আনুষঙ্গিক পণ্যের জন্য ১২০ টাকা লাগে। অর্ডারের দিন থেকে ডেলিভারি পেতে ৪ থেকে ৭ "
    "কর্মদিবস লাগে। দেশের বাইরে ডেলিভারি দেওয়া হয় না।"
)
RETURNS_BN = "নতুন সাইকেল ডেলিভারির ৩০ দিনের মধ্যে ফেরত দেওয়া যায়। মোড়ক খোলা হেলমেট ফেরত নেওয়া হয় না।"
LESSONS_BN = "ক্লাস শুরু হবে ১০ মার্চ ২০২৪ তারিখে। চার সপ্তাহের কোর্সের খরচ ২,০০০ টাকা। নিজের সাইকেল আনতে হবে না।"
RULES_BN = "ফরম অবশ্যই ২০২৪-০৭-১৫ তারিখের মধ্যে জমা দিতে হবে। ছবি জমা দেওয়ার দরকার নেই। সর্বোচ্চ ৩টি কার্ড ব্যবহার করা যায়।"
POOL = "The pool is closed on Fridays and open from 9:30 to 17:00 on other days. A pass costs $45.00 a month."
GRANT = "Applications must be received by 1 June 2025. The fee is 500 taka, which is not refundable, for those over 18."
GRANT_BN = "ফি ৫০০ টাকা, যা ফেরতযোগ্য নয়। ১৮ বছরের কম বয়সীরা আবেদন করতে পারবে না।"

SUPPORTED = [
    # numbers: digits, words, Bangla digits
    (CARDS, "Up to three gift cards can be used per order."),
    (CARDS, "You can buy up to 3 gift cards per order, online too."),
    (LIBRARY, "An undergraduate may borrow four books."),
    (LIBRARY, "Postgraduates may borrow ৬ books."),
    (COURSE, "The course costs 2,000 taka."),
    (COURSE, "The course takes 4 weeks."),
    (COURSE, "It needs at least ten learners."),
    (PRICES, "A day ticket for groups costs 1500 dollars."),
    (PRICES, "Members pay 7.5 percent less."),
    (DELIVERY_BN, "সাইকেল পৌঁছে দেওয়ার খরচ 600 টাকা।"),
    (DELIVERY_BN, "আনুষঙ্গিক পণ্য পৌঁছে দিতে ১২০ টাকা লাগে।"),
    (LESSONS_BN, "৪ সপ্তাহের কোর্সের খরচ দুই হাজার টাকা।"),
    (RULES_BN, "সর্বোচ্চ তিনটি কার্ড ব্যবহার করা যায়।"),
    # units
    (POTHOLES, "Potholes on arterial roads are repaired within 72 hrs."),
    (POTHOLES, "On residential streets a pothole is repaired within five working days."),
    (PRICES, "The parcel may weigh at most 2.5 kilograms."),
    (CARDS, "A gift card expires 36 months after its purchase."),
    (FEES, "A late fee of 500 rupees is added to what is billed."),
    (DELIVERY_BN, "ডেলিভারি পেতে ৪-৭ কার্যদিবস লাগে।"),
    # dates and times
    (TERM, "The autumn term begins on 10 March 2024."),
    (TERM, "The autumn term begins on March 10, 2024."),
    (TERM, "The term begins on the 10th of March."),
    (TERM, "The autumn term begins on 10/03/2024."),
    (TERM, "The term ends on 2024-07-15."),
    (TERM, "The term ends on 15.07.2024."),
    (TERM, "The term ends in July 2024."),
    (TERM, "Applications close on 31 May 2024."),
    (TERM, "Applications close on May 31st."),
    (EXAMS, "Exams are held from 5 May to 9 May."),
    (EXAMS, "Exams are held from May 5 to 9."),
    (EXAMS, "The results come out in June."),
    (SHOPS, "The shops are open from 10:00 AM to 8 pm every day but Friday."),
    (LESSONS_BN, "ক্লাস শুরু হবে ২০২৪-০৩-১০ তারিখে।"),
    (LESSONS_BN, "ক্লাস শুরু হবে ১০ই মার্চ।"),
    (LESSONS_BN, "ক্লাস ১০/০৩/২০২৪ তারিখে শুরু হবে।"),
    (RULES_BN, "ফরম অবশ্যই ১৫ জুলাই ২০২৪ তারিখের মধ্যে জমা দিতে হবে।"),
    (RULES_BN, "ফরম জমা দিতে হবে ১৫ই জুলাইয়ের মধ্যে।"),
    # negation
    (RETURNS, "Opened helmets can't be returned."),
    (RETURNS, "You cannot return a helmet that was opened."),
    (CERTIFICATE, "No receipt is required."),
    (DELIVERY_BN, "দেশের বাইরে ডেলিভারি হয় না।"),
    (RETURNS_BN, "মোড়ক খোলা হেলমেট ফেরত দেওয়া যায় না।"),
    # what must and what may be
    (CERTIFICATE, "You have to hand in a medical certificate within 7 days."),
    (CERTIFICATE, "You need not hand in a receipt."),
    (LESSONS_BN, "নিজের সাইকেল আনার দরকার নেই।"),
    (RULES_BN, "ছবি জমা দিতে হবে না।"),
    # names, codes, conditions
    (SHOPS, "There are shops in Sylhet and Dhaka."),
    (SHOPS, "Call Rahim Uddin."),
    (RECALL, "Bikes with a serial number that starts with RD2-24 are recalled."),
    (RECALL, "Replacing the stem is free of charge."),
    (RETURNS, "If the bike arrived damaged, the delivery fee is refunded too."),
    # found when the others passed
    (POOL, "The pool is open from 9:30 am to 5 pm."),
    (POOL, "A pass costs 45 dollars per month."),
    (GRANT, "Your application must be received no later than June 1, 2025."),
    (GRANT, "The fee of 500 taka is not refundable."),
    (GRANT_BN, "৫০০ টাকা ফি ফেরতযোগ্য নয়।"),
]

UNSUPPORTED = [
    # numbers
    (CARDS, "Up to 36 gift cards can be used per order.", "36 counts months"),
    (CARDS, "You can buy up to 4 gift cards per order.", "another number"),
    (CARDS, "Gift cards expire 3 months after purchase.", "3 counts cards"),
    (LIBRARY, "Undergraduates may borrow 14 books.", "14 counts days"),
    (LIBRARY, "Undergraduates may borrow five books.", "another number, in words"),
    (LIBRARY, "A loan can be renewed twice.", "once, not twice"),
    (COURSE, "The course costs 200 taka.", "two thousand, not 200"),
    (COURSE, "It needs at least 4 learners.", "4 counts weeks"),
    (PRICES, "A day ticket for groups costs $15,000.", "ten times as much"),
    (PRICES, "Members pay 75% less.", "the decimal point is gone"),
    (DELIVERY_BN, "সাইকেল পৌঁছে দেওয়ার খরচ ৬৫০ টাকা।", "another amount"),
    (DELIVERY_BN, "ডেলিভারি পেতে ৪ থেকে ১০ কর্মদিবস লাগে।", "another end of the range"),
    (LESSONS_BN, "চার সপ্তাহের কোর্সের খরচ তিন হাজার টাকা।", "another amount, in words"),
    (RULES_BN, "সর্বোচ্চ ৫টি কার্ড ব্যবহার করা যায়।", "another number"),
    # units
    (POTHOLES, "Potholes on arterial roads are repaired within 3 days.", "72 hours, and nothing is converted"),
    (POTHOLES, "Potholes on residential streets are repaired within 5 days.", "business days"),
    (POTHOLES, "Potholes on arterial roads are repaired within 72 days.", "hours"),
    (CARDS, "Gift cards expire 36 weeks after purchase.", "months"),
    (FEES, "A late fee of $500 is added to the bill.", "rupees"),
    (PRICES, "The parcel may weigh 2.5 lb at most.", "kilograms"),
    (DELIVERY_BN, "ডেলিভারি পেতে ৪ থেকে ৭ ঘণ্টা লাগে।", "business days"),
    (RETURNS_BN, "নতুন সাইকেল ডেলিভারির ৩০ মাসের মধ্যে ফেরত দেওয়া যায়।", "days"),
    # dates and times
    (TERM, "The autumn term begins on 15 March 2024.", "the day of another date"),
    (TERM, "The autumn term begins on 10 July 2024.", "the month of another date"),
    (TERM, "The autumn term begins on 10 March 2023.", "another year"),
    (TERM, "The term ends on 2024-07-10.", "the day of another date"),
    (TERM, "Applications close on 30 May 2024.", "another day"),
    (EXAMS, "Exams are held from 5 to 10 May.", "another end"),
    (EXAMS, "The results come out on 9 June 2025.", "the day of another date"),
    (SHOPS, "The shops are open from 10 a.m. to 8 a.m. every day but Friday.", "the other half of the day"),
    (SHOPS, "The shops are open from 9 a.m. to 8 p.m. every day but Friday.", "another hour"),
    (LESSONS_BN, "ক্লাস শুরু হবে ১০ এপ্রিল ২০২৪ তারিখে।", "another month"),
    (LESSONS_BN, "ক্লাস শুরু হবে ১১ মার্চ ২০২৪ তারিখে।", "another day"),
    (RULES_BN, "ফরম অবশ্যই ১৫ জুন ২০২৪ তারিখের মধ্যে জমা দিতে হবে।", "another month"),
    # limits and negation
    (RETURNS, "You can return an unridden bike after 30 days of delivery.", "after, not within"),
    (RETURNS, "Opened helmets can be returned.", "they cannot"),
    (RETURNS, "You cannot return a new, unridden bike within 30 days of delivery.", "you can"),
    (RETURNS, "The delivery fee is never refunded.", "it is where the bike arrived damaged"),
    (COURSE, "The course needs at most 10 learners.", "at least"),
    (RETURNS_BN, "মোড়ক খোলা হেলমেট ফেরত নেওয়া হয়।", "the negation is gone"),
    (RETURNS_BN, "নতুন সাইকেল ডেলিভারির ৩০ দিনের মধ্যে ফেরত দেওয়া যায় না।", "a negation is added"),
    (DELIVERY_BN, "দেশের বাইরে ডেলিভারি দেওয়া হয়।", "the negation is gone"),
    # what must and what may be
    (CERTIFICATE, "A medical certificate need not be handed in.", "it must"),
    (CERTIFICATE, "A receipt is required.", "it is not"),
    (CERTIFICATE, "Staff must ask for a photo ID.", "they may"),
    (RULES_BN, "ছবি অবশ্যই জমা দিতে হবে।", "it need not"),
    (LESSONS_BN, "নিজের সাইকেল আনতে হবে।", "it need not be brought"),
    # names, codes, promises
    (SHOPS, "There are shops in Dhaka and Khulna.", "another town"),
    (SHOPS, "Call Karim Uddin.", "another person"),
    (RECALL, "Bikes with serial numbers starting with RD2-25 are recalled.", "another code"),
    (POTHOLES, "Potholes on arterial roads are always repaired within 72 hours, guaranteed.", "a promise"),
    (RECALL, "Every Roadster 2 bike gets a new frame and a refund.", "something else"),
    # found when the others were withheld
    (POOL, "The pool is open on Fridays.", "closed"),
    (POOL, "A pass costs $45 per year.", "a month"),
    (GRANT, "Applications may be received after 1 June 2025.", "by that day"),
    (GRANT, "The fee of 500 taka is refundable.", "it is not"),
    (GRANT, "The fee is 500 taka for those under 18.", "over"),
    (GRANT_BN, "৫০০ টাকা ফি ফেরতযোগ্য।", "it is not"),
    (GRANT_BN, "১৮ বছরের বেশি বয়সীরা আবেদন করতে পারবে না।", "younger ones"),
]


def check(source: str, statement: str) -> None:
    lang = "bn" if source > "\u0980" else "en"
    sentences = [source[span.start : span.end].strip() for span in sentence_spans(source)]
    check_support(statement, [chunk("page", 0, sentences, title="", heading="", lang=lang)], lang)


@pytest.mark.parametrize(("source", "statement"), SUPPORTED)
def test_what_the_source_says_in_other_words_or_signs_passes(source: str, statement: str) -> None:
    check(source, statement)


@pytest.mark.parametrize(("source", "statement"), [row[:2] for row in UNSUPPORTED])
def test_what_differs_in_what_matters_is_withheld(source: str, statement: str) -> None:
    with pytest.raises(Withheld):
        check(source, statement)
