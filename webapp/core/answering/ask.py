"""The journey of a question, from the words typed to a checked answer: the one function that knows the order."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from webapp.core.answering.checks import checks_of
from webapp.core.answering.citations import build_citations, nearest_pages
from webapp.core.answering.conflicts import check_conflicts
from webapp.core.answering.matching import content_terms, share_held
from webapp.core.answering.model import (
    Answer,
    Caution,
    Citation,
    ModelReply,
    ModelRequest,
    ModelUnavailable,
    Reason,
    RetrievedChunk,
    Statement,
    Trace,
    Withheld,
)
from webapp.core.answering.parts import Parts, Wishes
from webapp.core.answering.prompt import build_request, choose_evidence, prompt_hash
from webapp.core.answering.question import checked, halves, in_context, needs_context
from webapp.core.answering.quotes import find_quotes
from webapp.core.answering.reply import CitedStatement, Reply, parse_reply
from webapp.core.answering.support import check_support
from webapp.core.documents.language import detect_language
from webapp.core.documents.model import Chunk
from webapp.core.retrieval.model import Hit, LeftOut, Outcome, Query, Reader, Retrieval, Sufficiency

_NO_WISHES = Wishes()
_ADDED_HELD = 0.5  # of what a question adds, so much isn't enough: a residential street is no main street
_NO_ANSWER = {"en": "We found no answer to this in our documents.", "bn": "আমাদের নথিপত্রে এর উত্তর পাওয়া যায়নি।"}


def answer(question: str, reader: Reader, parts: Parts, wishes: Wishes = _NO_WISHES) -> tuple[Answer, Trace]:
    """Answer a question from the collection's evidence, or abstain and say why.

    Raises InvalidQuestion when it can't be asked at all. The model is not called where evidence is wanting, and no
    reply gets past a check: what fails one is withheld, never mended.
    """
    journey = _Journey(checked(question), parts, wishes)
    try:
        parts.told("retrieving")
        journey.retrieve(reader)
        journey.require_enough()
        parts.told("checking")
        journey.build_prompt()
        journey.call_model()
        journey.read_reply()
        journey.cite()
        journey.check_support()
        journey.check_addition()
        return journey.answered(), journey.trace(Reason.OK)
    except Withheld as why:
        return journey.abstained(why.reason), journey.trace(why.reason, why.detail)


class _Journey:
    """One question on its way: each stage reads what the ones before it left here."""

    retrieval: Retrieval
    sufficiency: Sufficiency
    reply: Reply
    citations: tuple[Citation, ...] = ()
    statements: tuple[Statement, ...] = ()
    request: ModelRequest | None = None
    raw: ModelReply = ModelReply("")
    leans = False
    disagreeing = False
    asked: str  # with its context, as read
    read_as: str | None

    def __init__(self, question: str, parts: Parts, wishes: Wishes) -> None:
        self.question, self.parts, self.wishes = question, parts, wishes
        self.asked, self.read_as = question, None
        self.lang = _language(question, parts, wishes)
        self.milliseconds: dict[str, float] = {}

    def retrieve(self, reader: Reader) -> None:
        wishes = self.wishes
        query = Query(self.question, self.lang, reader, wishes.only_lang, wishes.attributes, wishes.today)
        with self._timed("read"):
            self._read(query)
        query = replace(query, text=self.asked, lang=self.lang)
        with self._timed("retrieve"):
            self.retrieval = self.parts.retriever.retrieve(query, self.parts.depth)

    def _read(self, query: Query) -> None:
        """Go on with what a question in the letters of another language was read as."""
        self.read_as = self.parts.read_as(query)
        if self.read_as:
            self.lang = detect_language(self.read_as, self.parts.config.languages)
        self.asked = in_context(self.read_as or self.question, self.wishes.follows)

    def require_enough(self) -> None:
        """Raise Withheld unless the evidence is likely to answer."""
        with self._timed("sufficiency"):
            self.sufficiency = enough = self.parts.judge(self.retrieval)
        self.leans = not self.wishes.follows and needs_context(self.read_as or self.question, self.lang)
        if self.leans:
            raise Withheld(Reason.WEAK_EVIDENCE, "it leans on an earlier question, and can't be told apart without it")
        figures = f"probability {enough.probability:.2f}, limit {enough.threshold:.2f}"
        if enough.outcome is Outcome.NO_EVIDENCE or not self.retrieval.hits:
            raise Withheld(Reason.NO_EVIDENCE, f"nothing deals with this ({figures})")
        if enough.outcome is Outcome.WEAK_EVIDENCE:
            raise Withheld(Reason.WEAK_EVIDENCE, f"found, but below the limit ({figures})")
        if not self._fitting():
            raise Withheld(Reason.WEAK_EVIDENCE, "nothing found deals with both the question and the one it follows")

    def build_prompt(self) -> None:
        with self._timed("prompt"):
            evidence = choose_evidence(self._fitting(), self.parts.budget)
            self.request = build_request(self.asked, self.lang, evidence, self.parts.budget)

    def _fitting(self) -> list[Hit]:
        """What was found, less what doesn't deal with both a question and the one it follows."""
        hits = list(self.retrieval.hits)
        own = [hit for hit in hits if hit.chunk.lang == self.lang]
        if not self.wishes.follows or not own:  # words of one language can't be looked for in another
            return hits
        wanted = halves(self.read_as or self.question, self.wishes.follows, self.lang)
        return [hit for hit in own if _deals_with(wanted, hit.chunk)]

    def call_model(self) -> None:
        assert self.request
        try:
            with self._timed("model"):
                self.raw = self.parts.model.reply(self.request)
        except ModelUnavailable as error:
            raise Withheld(Reason.MODEL_UNAVAILABLE, str(error)) from error

    def read_reply(self) -> None:
        with self._timed("reply"):
            self.reply = parse_reply(self.raw, self._sent().keys())

    def cite(self) -> None:
        chunks = self._sent()
        with self._timed("citations"):
            cited = (id_ for one in self.reply.statements for id_ in one.cited_ids)
            self.citations = build_citations(cited, chunks)
            markers = {one.chunk_id: one.marker for one in self.citations}
            self.statements = tuple(_statement(one, markers, chunks) for one in self.reply.statements)

    def check_support(self) -> None:
        """Raise Withheld unless what is cited bears out every statement, and what contradicts it is said too."""
        chunks = self._sent()
        with self._timed("support"):
            for one in self.reply.statements:
                cited = [chunks[id_] for id_ in dict.fromkeys(one.cited_ids)]
                said_in = detect_language(one.text, self.parts.config.languages)
                check_support(one.text, cited, said_in, self.parts.scorer)
            quotes = [quote for one in self.statements for quote in one.quotes]
            self.disagreeing = check_conflicts(quotes, self.citations, list(chunks.values()))

    def check_addition(self) -> None:
        """Raise Withheld when an answer deals with the earlier question alone: "And for accessories?" is not met by
        what is so for bikes."""
        follows = self.wishes.follows
        _, added = halves(self.read_as or self.question, follows, self.lang) if follows else ("", frozenset())
        said = " ".join(one.text for one in self.statements)
        in_own = any(one.lang == self.lang for one in self.citations)
        if added and in_own and share_held(added, content_terms(said, self.lang)) <= _ADDED_HELD:
            raise Withheld(Reason.WEAK_EVIDENCE, "the reply says nothing of what the question adds")

    def answered(self) -> Answer:
        return self._answer(
            abstained=False,
            reason=Reason.OK,
            confidence=self.reply.confidence,
            caution=self._caution(),
            answer=" ".join(one.text for one in self.statements),
            statements=self.statements,
            citations=self.citations,
        )

    def abstained(self, reason: Reason) -> Answer:
        return self._answer(
            abstained=True,
            reason=reason,
            confidence=None,
            answer=self._fallback(),
            nearest=nearest_pages(self.retrieval.hits),
        )

    def _fallback(self) -> str:
        """The collection's own words, else ours."""
        return self.parts.config.wording("fallback", self.lang) or _NO_ANSWER.get(self.lang, _NO_ANSWER["en"])

    def trace(self, reason: Reason, detail: str = "") -> Trace:
        return Trace(
            prompt=self.request,
            raw_reply=self.raw.text,
            prompt_hash=prompt_hash(self.request) if self.request else "",
            detail=detail,
            milliseconds=self.milliseconds,
            tokens_in=self.raw.tokens_in,
            tokens_out=self.raw.tokens_out,
            left_out=tuple(self._left_out()),
            checks=checks_of(reason, detail, "reply" in self.milliseconds, self.raw.refused),
            limits={"threshold": self.sufficiency.threshold},
            signals=dict(self.retrieval.signals),
        )

    def _left_out(self) -> Iterator[LeftOut]:
        """Say of everything that was found and not sent, why."""
        sent, fitting = self._sent(), {hit.chunk.id for hit in self._fitting()}
        otherwise = "leans" if self.leans else "budget" if self.request else "below_limit"
        for hit in self.retrieval.hits:
            if hit.chunk.id not in sent:
                why = otherwise if hit.chunk.id in fitting else "off_subject"
                yield LeftOut(hit.chunk.id, hit.chunk.document_id, why, hit.score)
        yield from self.retrieval.left_out

    def _answer(self, **outcome: Any) -> Answer:
        sent = self._sent()
        return Answer(
            id=self.wishes.answer_id or secrets.token_urlsafe(16),
            question=self.question,
            lang=self.lang,
            collection=self.parts.config.name,
            index_version=self.retrieval.index_version,
            model=self.raw.model or self.parts.model.name,
            created_at=self.wishes.now or datetime.now(UTC),
            retrieved=tuple(_retrieved(hit, hit.chunk.id in sent) for hit in self.retrieval.hits),
            probability=self.sufficiency.probability,
            only_lang=self.wishes.only_lang,
            read_as=self.read_as,
            follows=self.wishes.follows,
            leans=self.leans,
            filters=dict(self.wishes.attributes),
            **outcome,
        )

    def _caution(self) -> Caution | None:
        if self.disagreeing:
            return Caution.DISAGREEING
        if any(one.lang != self.lang for one in self.citations):
            return Caution.OTHER_LANGUAGE
        return Caution.UNCERTAIN if self.sufficiency.outcome is Outcome.CAUTION else None

    def _sent(self) -> Mapping[str, Chunk]:
        evidence = self.request.evidence if self.request else ()
        return {hit.chunk.id: hit.chunk for hit in evidence}

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self.milliseconds[stage] = round(1000 * (perf_counter() - start), 2)


def _language(question: str, parts: Parts, wishes: Wishes) -> str:
    """A question of digits and signs alone is taken to be in the reader's language."""
    if wishes.lang and not any(char.isalpha() for char in question):
        return wishes.lang
    return detect_language(question, parts.config.languages)


def _deals_with(wanted: Iterable[Set[str]], chunk: Chunk) -> bool:
    held = content_terms(f"{chunk.context} {chunk.plain}", chunk.lang)
    return not any(terms and held.isdisjoint(terms) for terms in wanted)


def _statement(said: CitedStatement, markers: Mapping[str, int], chunks: Mapping[str, Chunk]) -> Statement:
    cited = [(markers[id_], chunks[id_]) for id_ in dict.fromkeys(said.cited_ids)]
    return Statement(
        text=said.text,
        markers=tuple(sorted(marker for marker, _ in cited)),
        quotes=find_quotes(said.text, cited),
    )


def _retrieved(hit: Hit, sent: bool) -> RetrievedChunk:
    chunk = hit.chunk
    return RetrievedChunk(
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        title=chunk.title,
        heading=chunk.location.heading,
        first_line=chunk.location.first_line,
        last_line=chunk.location.last_line,
        score=hit.score,
        meaning=hit.meaning,
        words=hit.words,
        coverage=hit.coverage,
        sent=sent,
    )
