"""Words whose full stop may not end a sentence, and the words after them that tell. Lower case, without the stop."""

from __future__ import annotations

# Always followed by what they belong to: a name, an amount, a second thing.
BINDING = frozenset(
    "dr mr mrs ms mx prof rev hon gen col capt lt sgt maj st mt ft messrs mme mlle sra herr fr tk rs usd bdt inr approx ca cf vs "
    "viz eg ie e.g i.e incl excl dept govt attn tel ext ডা ড মো মোসা মোছা মোসাঃ মি মিসেস প্রফে অধ্যা ইঞ্জি অ্যাড এড লে ক্যা পৃ খ্রি "
    "উদা তাং রু বি.দ্র কি.মি সে.মি মি.মি কে.জি মি.গ্রা মি.লি z.b d.h u.a bzw ggf evtl usw p.ej p.ex sr sra srta ud uds".split()
)

# Followed by a number they belong to it; else their stop ends the sentence.
BEFORE_NUMBER = frozenset(
    "no nos nr fig figs sec sect para art ch chap vol pp p pg eq ref jan feb mar apr jun jul aug sep sept oct nov dec "
    "mon tue tues wed thu thur thurs fri sat sun v ver rev app ext rm lat নং".split()
)

# Parts of a company's or person's name: the stop ends the sentence only before a word that begins one.
IN_NAMES = frozenset("inc ltd co corp bros jr sr llc plc mfg univ assn intl লি".split())

# After a clock time or a dotted name, these go on with it.
CONTINUING = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays january february march april may june july august september october november december est edt cst cdt mst "
    "mdt pst pdt gmt utc bst cet ist eastern central mountain pacific government congress senate army navy dollars "
    "department embassy treasury constitution president citizens".split()
)

# Words that begin sentences far more often than they follow an initial.
STARTERS = frozenset(
    "a about after all also although an and any are as ask at be because before both bring but by call can check choose "
    "click close contact do does each either enter every few find first follow for from get give go has have he her here his how "
    "however if in is it its keep last later leave let look make many may more most my never next no not now of on once one only "
    "open or other our please press put read return save see select send set she should since so some start stop take tap tell "
    "that the their then there these they this those though to try turn type under until use visit wait was we were what when "
    "where which while who why will with without write yes you your".split()
)

# A single letter after one of these names a thing, not a person.
LABELS = frozenset(
    "size option plan type model grade vitamin group section table figure appendix step part class level letter point "
    "room building block gate zone line hepatitis category version schedule form box unit series route bus annex team "
    "platform terminal phase stage sector exhibit item answer question column row key button drive tier".split()
)

# How Bangla writes the letters of Latin initials: এ. কে. ফজলুল হক
BANGLA_INITIALS = frozenset("এ বি সি ডি ই এফ জি এইচ আই জে কে এল এম এন ও পি কিউ আর এস টি ইউ ভি ডব্লিউ এক্স ওয়াই জেড আ অ মু".split())
