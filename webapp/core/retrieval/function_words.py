"""Words that carry no meaning of their own, or little (come, give, put), or only ask ("how long does it take").
Questions are full of them, and in a small collection they look rare."""

from __future__ import annotations

from functools import lru_cache

from webapp.core.retrieval.words import terms

_STOP_EN = """a about above after again all also am an and any are aren't as at be because been before being below
both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either else ever
every few for from further get gets getting go goes got had has hasn't have haven't having he hello her here hers
hey hi him his how i i'd i'll i'm i've if in into is isn't it it's its itself just let's like may me might more most
must my need needn't neither no nor not now of off on once only or other our out over own per please same shall she
should shouldn't so some still such than thank thanks that that's the their them then there there's these they this
those through thus to too under until up upon us very via want was wasn't we were weren't what what's when where
which while who whom whose why will with within without won't would wouldn't yet you you'd you'll you're you've your
yours
come comes came coming give gives gave given put puts make makes made making want wants wanted know tell see say
says said stay stays going able possible let ok okay anything something nothing anyone someone everyone everything
many much long soon fast often far time happen happens happened take takes took taken mean means"""
_STOP_BN = """আমি আমার আমাকে আমরা আমাদের তুমি তোমার আপনি আপনার আপনাকে আপনারা সে তার তাকে তারা তাদের এটা এটি ওটা সেটা সেটি
এই ঐ ওই সেই এ ও এবং আর বা অথবা কিন্তু তবে যদি তাহলে যে যা যার যিনি যারা কি কী কে কার কাকে কারা কোন কোনো কোথায় কখন কবে
কেন কেমন কিভাবে কীভাবে কত কতটা কতদিন কয় কয়টি করা করে করতে করলে করি করেন করেছে করেছেন করবে করবেন করব হয় হয় হয়ে হবে হতে
হলে হলো হল হয়েছে হয়েছিল ছিল ছিলেন আছে আছেন থাকে থাকা জন্য জন্যে থেকে দিয়ে নিয়ে সঙ্গে সাথে মধ্যে পরে আগে পর্যন্ত উপর
না নয় নেই নি একটি একটা এক কিছু সব সকল তা তো পারি পারেন পারে পারব পারবেন যায় যাবে যেতে দিতে নিতে পেতে লাগে লাগবে লাগতে
আপনাদের তোমাদের আসে আসবে আসতে এসেছে এসে আনতে আনা আনব দেখতে চাই চান বলতে বলা জানতে জানাতে জানাব রাখা রাখতে পাওয়া দিলে দেব দেবেন
দিই নিলে গেলে যাব যান নেন নেব নেয় পাব পান দেওয়া নেওয়া মানে"""


@lru_cache(maxsize=1)
def function_terms() -> frozenset[str]:
    """Return the searched terms of the words that carry no meaning of their own."""
    return frozenset({*terms(_STOP_EN, "en"), *terms(_STOP_BN, "bn")})
