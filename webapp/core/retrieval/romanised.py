"""Bangla typed in Latin letters: recognised by its small words, and read by sound.

Nobody spells it by one scheme (`kivabe`, `kibhabe`, `ki vabe`), so letters are not turned into letters. A typed word is
looked up by its consonants among the Bangla words that the reader's pages hold, and among common ones; of several, the
one whose vowels sound most alike is taken. What isn't found there stays as it was typed: it is mostly English.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from webapp.core.retrieval.words import stem

# Words that give romanised Bangla away. The second list holds those that may also be something else.
_SURE = """ami amar amake amra amader apni apnar apnake apnara apnader tumi tomar koto kotto kotokkhon kotodin kothay
kothai kivabe kibhabe kemon keno kake kader kara karo kono konta konti jodi tahole ebong athoba kintu jonno jonne theke
diye niye sathe shathe songe moddhe porjonto korte korbo korben korle korlei kore kori koren korar kora lage lagbe pabo
paben pabe pawa jabe jai jabo dite dibo diben dile dilei deya dewa nite nibo niben nile neya newa nen hobe hoy
hoi holei hoile ache achhe ase asbe chai chaile parbo parben pari paren parle parbe bolte bolen kinte kinle kinlei
kokhon shob kichu koyta koyti koy ekta ekti ekjon bochor bochhor taka khoroch shomoy somoy ferot pherot"""
_UNSURE = "ki er ta ti te ke na ar je o e din kon hole age pore tk ba to por kar gulo mash jay den kobe dam"
_ENGLISH = """a an the is are was were be am do does did can could will would should may must have has had i my me we
our you your he she it its they their this that these those what which who whom when where why how of to in on at for
from by with about and or not if as there any all get got need want long much many"""
_WORTH_IT = 2  # a sure word weighs as much, an unsure one half of it

# Common words, besides those of the pages.
_COMMON = """আমি আমার আমাকে আমরা আমাদের আপনি আপনার আপনাকে আপনারা আপনাদের তুমি তোমার সে তার তাকে তারা এটা এটি ওটা সেটা এই
সেই এবং আর বা অথবা কিন্তু যদি তাহলে যে যা যারা কি কী কে কার কাকে কারা কোন কোনো কোনটা কোথায় কখন কবে কেন কেমন কীভাবে কত কয়টা
কয়টায় করা করে করতে করলে করি করেন করব করবেন করবে হয় হবে হলে হয়ে হতে হয়েছে ছিল আছে থাকে থাকলে জন্য থেকে দিয়ে নিয়ে সাথে মধ্যে
পরে আগে পর্যন্ত না নয় নেই একটা একটি এক কিছু সব তো পারি পারেন পারব পারবেন পারবে যায় যাবে যাব যেতে দিতে দিব দেন দেয় দিলে দেওয়া
নিতে নেব নেন নেয় নিলে নেওয়া পেতে পাব পাবেন পাবে পাওয়া দিন দিনে দিনের টাকা দাম খরচ সময় বছর বছরের মাস মাসের সপ্তাহ ঘণ্টা সকাল
লাগে লাগবে চাই চাইলে কিনতে কিনলে কেনা কেনার আসে আসবে ফেরত ভাঙা নষ্ট খোলা বন্ধ দোকান জিনিস পণ্য ভুল নতুন পুরনো বেশি কম এর টা টি
তে কে গুলো এ ও"""

_ALIKE = 0.72  # ratio of two sounds, vowels and all, from which on they may be one word
_READ = 0.6  # share of the words that must be read, or the reading is not trusted

_LATIN_SOUNDS = (
    *(("chh", "C"), ("ch", "C"), ("sh", "s"), ("kkh", "k"), ("kh", "k"), ("gh", "g"), ("jh", "j"), ("th", "t")),
    *(("dh", "d"), ("ph", "f"), ("bh", "b"), ("rh", "r"), ("ng", "n"), ("ck", "k"), ("ee", "i"), ("oo", "u")),
    *(("q", "k"), ("x", "ks"), ("z", "j"), ("v", "b"), ("w", "")),
)
_SOFT_C = re.compile(r"c(?=[eiy])")
_VOWEL_Y = re.compile(r"(?<![aeiou])y(?![aeiou])")
_CONSONANTS = dict(zip("কখগঘঙচছজঝঞটঠডঢণতথদধনপফবভমযরলশষসহৎং", "kkggnCCjjnttddnttddnpfbbmjrlssshtn", strict=True))
_VOWELS = {**dict(zip("অআইঈউঊঋএঐওঔ", "oaiiuureeoo", strict=True)), **dict(zip("ািীুূৃেৈোৌ", "aiiuureeoo", strict=True))}
_VIRAMA, _NUKTA = "\u09cd", "\u09bc"
_WORD = re.compile(r"[\u0980-\u09ff\u200c\u200d]+")
# Case endings, in both scripts: the page has সাইকেল, the question says `cycle-er`.
_ENDINGS = (
    ("gulo", "গুলো"),
    ("der", "দের"),
    ("er", "ের"),
    ("te", "তে"),
    ("ke", "কে"),
    ("ta", "টা"),
    ("ti", "টি"),
    ("r", "র"),
    ("e", "ে"),
)


def is_romanised(text: str) -> bool:
    """Tell whether a text is Bangla in Latin letters: more of Bangla's small words than of English ones."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if not all(word.isascii() for word in words):
        return False
    score = sum(_weight(word) for word in words)
    return score >= _WORTH_IT


def _weight(word: str) -> int:
    sure, unsure, english = _small_words()
    return 2 if word in sure else 1 if word in unsure else -2 if word in english else 0


@lru_cache(maxsize=1)
def _small_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    return frozenset(_SURE.split()), frozenset(_UNSURE.split()), frozenset(_ENGLISH.split())


def bangla_words(texts: Iterable[str]) -> list[str]:
    """Return the Bangla words of texts, each followed by what it is without its ending."""
    words = [word for text in texts for word in _WORD.findall(unicodedata.normalize("NFC", text))]
    return [form for word in words for form in dict.fromkeys((word, stem(word, "bn")))]


class SoundBook:
    """Bangla words, found by how they sound."""

    def __init__(self, words: Iterable[str]) -> None:
        self._by_consonants: dict[str, dict[str, int]] = defaultdict(dict)
        for word in (*words, *_COMMON.split()):
            same = self._by_consonants[_consonants(bangla_sound(word))]
            same[word] = same.get(word, 0) + 1

    def read(self, text: str) -> str:
        """Return a romanised text in Bangla letters, "" when too little of it could be read."""
        typed = re.findall(r"[^\W_]+", text)
        words = [self._word(word) for word in typed]
        read = sum(word is not None for word in words)
        if not typed or read < _READ * len(typed):
            return ""
        return " ".join(word or as_typed for word, as_typed in zip(words, typed, strict=True))

    def _word(self, typed: str) -> str | None:
        if not typed.isascii() or not typed.isalpha():
            return None
        whole = self._alike(typed)
        if whole:
            return whole
        for latin, bangla in _ENDINGS:
            base = self._alike(typed.removesuffix(latin)) if typed.endswith(latin) else None
            if base and len(typed) > len(latin) + 1:
                return base + bangla
        return None

    def _alike(self, typed: str) -> str | None:
        sound = latin_sound(typed)
        found = self._by_consonants.get(_consonants(sound), {})
        score, _, word = max(
            ((_likeness(sound, word), count, word) for word, count in found.items()), default=(0, 0, "")
        )
        return word if score >= _ALIKE else None


def latin_sound(word: str) -> str:
    """Return how a romanised word sounds, in a small alphabet: aspiration, length and doubling are not told apart."""
    word = word.casefold()
    for letters, sound in _LATIN_SOUNDS:
        word = word.replace(letters, sound)
    word = _VOWEL_Y.sub("i", _SOFT_C.sub("s", word).replace("c", "k")).replace("y", "")
    return re.sub(r"(.)\1+", r"\1", word)


@lru_cache(maxsize=1 << 14)
def bangla_sound(word: str) -> str:
    """Return how a Bangla word sounds, in the same alphabet; an unwritten vowel is `o`."""
    word = unicodedata.normalize("NFC", word).replace("ক্ষ", "খ").replace("জ্ঞ", "গ").replace("্য", "")
    word = word.replace("য" + _NUKTA, "").replace("ড" + _NUKTA, "র").replace("ঢ" + _NUKTA, "র")
    sounds: list[str] = []
    for letter, after in zip(word, [*word[1:], ""], strict=True):
        if letter in _CONSONANTS:
            spoken = after and after not in _VOWELS and after not in (_VIRAMA, "ং", "ৎ")
            sounds.append(_CONSONANTS[letter] + ("o" if spoken and letter not in "ংৎ" else ""))
        else:
            sounds.append(_VOWELS.get(letter, ""))
    return re.sub(r"(.)\1+", r"\1", "".join(sounds))


def _consonants(sound: str) -> str:
    """Return a sound without its vowels; what stands twice in a row then, once."""
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[aeiou]", "", sound))


def _likeness(sound: str, word: str) -> float:
    """Return how much a typed sound is like a word's, 0..1. An unwritten vowel may be heard at its end, or not."""
    own = bangla_sound(word)
    return max(SequenceMatcher(None, sound, one, autojunk=False).ratio() for one in (own, own + "o"))
