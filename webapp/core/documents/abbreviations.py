"""Words whose full stop may not end a sentence, and the words around them that tell. Lower case, without the stop."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Always followed by what they belong to: a name, an amount, an example.
BINDING = _words("""
    dr mr mrs ms mx prof rev hon gen col capt lt sgt maj gov sen mt messrs mme mlle herr tk rs usd bdt inr approx ca
    cf vs viz eg ie e.g i.e a.k.a incl excl dept govt attn tel ext
    z.b d.h u.a bzw ggf evtl p.ej p.ex sra srta
    ডা ড মো মোসা মোছা মি মিসেস প্রফে অধ্যা ইঞ্জি অ্যাড এড লে ক্যা পৃ খ্রি উদা তাং তা রু কি সে অনু মোবা রেভা মে
""")

# Followed by a number they belong to it; else their stop ends the sentence.
BEFORE_NUMBER = _words("""
    no nos nr fig figs sec sect para art ch chap vol pp p pg eq ref est jan feb mar apr jun jul aug sep sept oct nov
    dec mon tue tues wed thu thur thurs fri sat sun v ver app rm max min al নং টা
""")

# Parts of a firm's or person's name: the stop ends the sentence only before a word that begins one.
IN_NAMES = _words("st inc ltd co corp bros jr sr plc mfg univ assn intl লি")

# After a clock time or a dotted name, these go on with it.
CONTINUING = _words("""
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april may june july august september october november december est edt cst cdt mst
    mdt pst pdt gmt utc bst cet ist eastern central mountain pacific government congress senate army navy dollars
    department embassy treasury constitution president citizens box
""")

# Words that begin sentences far more often than they follow an initial.
STARTERS = _words("""
    a about after all also although an and any are as ask at be because before both bring but by call can check choose
    click close contact do does each either enter every few find first follow for from get give go has have he her here
    his how however if in is it its keep last later leave let look make many may more most my never next no not now of
    on once one only open or other our please press put read return save see select send set she should since so some
    start stop take tap tell that the their then there these they this those though to try turn type under until use
    visit wait was we were what when where which while who why will with without write yes you your
""")

# A single letter after one of these names a thing, not a person.
LABELS = _words("""
    size option plan type model grade vitamin group section table figure appendix step part class level letter point
    room building block gate zone line hepatitis category version schedule form box unit series route bus annex team
    platform terminal phase stage sector exhibit item answer question column row key button drive tier
""")

# How Bangla writes the letters of Latin initials: এ. কে. ফজলুল হক
BANGLA_INITIALS = _words("""
    এ বি সি ডি ই এফ জি এইচ আই জে কে এল এম এন ও পি কিউ আর এস টি ইউ ভি ডব্লিউ এক্স ওয়াই জেড আ অ মু
""")

# What goes on after a quoted question: “কেন?” বলে তিনি গেলেন।
AFTER_QUOTE = _words("এবং ও বলে বলেই বলল বলেন বললেন বলেছেন জানতে প্রশ্ন")
