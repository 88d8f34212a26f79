"""One collection as readers and staff use it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from webapp.core.answering.ask import answer
from webapp.core.answering.conflicts import Conflict, find_conflicts
from webapp.core.answering.meaning import scorer_for
from webapp.core.answering.model import Answer, Citation, Trace
from webapp.core.answering.parts import Parts, Wishes
from webapp.core.answering.prompt import Budget
from webapp.core.answering.sufficiency import calibration_of
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Collection, Document, Status
from webapp.core.retrieval.chosen import chosen_embedder, embedder_of
from webapp.core.retrieval.embedders.base import Embedder, Remote
from webapp.core.retrieval.engine import IndexVersion, Manifest
from webapp.core.retrieval.index import BuildReport, Progress
from webapp.core.retrieval.known_questions import KnownQuestions, Meanings
from webapp.core.retrieval.model import Reader, Retrieval, Sufficiency
from webapp.core.retrieval.reading import read_as
from webapp.core.retrieval.retriever import Retriever
from webapp.services.clients import model_client
from webapp.services.copies import snapshot_of
from webapp.services.examples import Examples
from webapp.services.index import Approve, CollectionIndex
from webapp.services.index_notes import Trouble
from webapp.services.keeping import Keeper
from webapp.services.known_answers import KnownAnswers, Made, asking_of
from webapp.services.meter import Meter
from webapp.services.model import AskOptions, Listed, Source
from webapp.services.moment import OfLiveVersion
from webapp.services.sources import Shelf
from webapp.services.wishes import choices, granted
from webapp.settings import Settings
from webapp.store.kept import Kept, Snapshot, Stored

NO_OPTIONS = AskOptions()


Judge = Callable[[Retrieval], Sufficiency]
Observe = Callable[[Answer, Trace], None]


class Asker(Protocol):
    """Asks, and keeps nothing."""

    def __call__(self, question: str, options: AskOptions = NO_OPTIONS) -> Answer:
        """Return the answer."""
        ...


class Desk:
    """One collection: its answers, its documents, its index."""

    def __init__(self, name: str, index: CollectionIndex, settings: Settings, keeper: Keeper) -> None:
        self.name = name
        self._index = index
        self._settings = settings
        self._keeper = keeper
        self._conflicts: tuple[str, list[Conflict]] = ("", [])  # index version, and what was found in it
        self._examples = Examples()
        self._known = KnownAnswers(settings.answer_cache)
        self._meanings = Meanings(settings.answer_cache)
        self._remembered = OfLiveVersion()
        self.meter = Meter(name, settings, keeper)  # what its models cost
        self.observers: list[Observe] = []  # told of every new answer

    @property
    def folder(self) -> Path:
        """Where the documents are."""
        return self._index.folder

    @property
    def config(self) -> CollectionConfig:
        """The collection's settings, as served."""
        return self._index.config

    @property
    def external_model(self) -> str:
        """The name of the outside service that questions are sent to; "" when nothing leaves this machine."""
        model = model_client(self._settings)
        return model.name if model.external else ""

    @property
    def external_search(self) -> str:
        """The host outside this machine that questions are sent to so that pages are found; "" when none is."""
        embedder = chosen_embedder(self.config)
        return embedder.outside if isinstance(embedder, Remote) else ""

    def ask(self, question: str, reader: Reader, options: AskOptions = NO_OPTIONS) -> Answer:
        """Answer a question, or abstain, and keep the answer with its sources. What was asked in the same way a moment
        ago is not worked out again, and kept as an answer of its own all the same.

        Raises InvalidQuestion, InvalidWish, IndexProblem when there is no index, SettingsError when there is no such
        model.
        """
        shelf = self.shelf(reader)  # before the settings: they are looked for in what it has found
        options = granted(options, self.config, shelf)
        once = _once(options, self.name, question, reader)
        return self._earlier(once) or self._new(question, reader, options, once)

    def try_out(
        self, question: str, reader: Reader, options: AskOptions = NO_OPTIONS, judge: Judge | None = None
    ) -> tuple[Answer, Trace]:
        """Answer a question without keeping anything, if wanted with another judgement of what is enough evidence.

        Raises as `ask` does.
        """
        made, trace = self._answer(self._index.live(), question, reader, options, judge)
        return with_addresses(made), trace

    def documents(self, reader: Reader) -> tuple[Listed, ...]:
        """Return the documents that the reader may open, by title."""
        return self.shelf(reader).listed()

    def filters(self, reader: Reader) -> Mapping[str, tuple[str, ...]]:
        """Return the values that the reader may filter by, for each filter that the collection declares."""
        shelf, key = self.shelf(reader), ("filters", reader, date.today())
        return self._remembered.of(self._index.live(), key, lambda: choices(self.config, shelf))

    def current_count(self, reader: Reader, lang: str | None = None) -> int:
        """Return how many documents can be evidence for the reader."""
        shelf, key = self.shelf(reader), ("count", reader, date.today(), lang)
        return self._remembered.of(self._index.live(), key, lambda: shelf.current_count(lang))

    def examples(self, reader: Reader, lang: str) -> tuple[str, ...]:
        """Return the collection's example questions in a language that its documents answer for the reader now."""
        return self._examples.answered(self._index.live(), self.config.examples.get(lang, ()), reader)

    def conflicts(self, reader: Reader) -> list[Conflict]:
        """Return the pairs of sentences that disagree, of documents that can be evidence for the reader."""
        version = self._index.live()
        allowed = {stored.id for stored in Shelf(version, reader).evidence()}
        pairs = self._conflicts_in(version)
        return [one for one in pairs if {one.one.chunk.document_id, one.other.chunk.document_id} <= allowed]

    def document(self, document_id: str, reader: Reader) -> Document | None:
        """Return a document as served now, or None when there is none that the reader may open."""
        return self.shelf(reader).document(document_id)

    def source(
        self, document_id: str, reader: Reader, *, answer_id: str | None = None, at: str | None = None
    ) -> Source | None:
        """Return a document as that answer or that snapshot has it, else as served now; None when not for the reader.

        An answer that is gone, or that the reader may not open, counts as none given.
        """
        shelf = self.shelf(reader)
        stored = self._cited_by(answer_id, document_id, shelf)
        if stored:
            at = stored.snapshots[document_id]
        if at is None:
            return shelf.source(document_id)
        return self._source_at(at, document_id, shelf, stored)

    def shelf(self, reader: Reader) -> Shelf:
        """Return what the reader may see of the documents as served now."""
        return Shelf(self._index.live(), reader)

    def files(self) -> Collection:
        """Return the folder's documents as they are now: for editors and comparisons. Raises CollectionError."""
        return self._index.files()

    @property
    def vectors(self) -> Path:
        """Where the vectors of texts are kept, so that trying a setting embeds little."""
        return self._index.vectors

    def index(
        self,
        strategy: str | None = None,
        options: Mapping[str, int] | None = None,
        progress: Progress | None = None,
        approve: Approve | None = None,
        author: str = "",
    ) -> BuildReport:
        """Build an index version and serve it if approved. Raises as `CollectionIndex.build` does."""
        return self._index.build(strategy, options, progress, approve, author)

    def ensure_index(self, progress: Progress | None = None) -> BuildReport | None:
        """Build an index version when there is none or the files have changed. Raises as `index` does."""
        return self._index.ensure(progress)

    def is_behind(self) -> bool:
        """Tell whether an index version is to be built: the files have changed."""
        return self._index.is_behind()

    def is_current(self) -> bool:
        """Tell whether what is served is as new as the files are at this moment."""
        return self._index.is_current()

    def settle_files(self, progress: Progress | None = None) -> None:
        """Wait until the files have not changed for a moment."""
        self._index.settle(progress)

    def verify_index(self) -> bool:
        """Find out whether the live version is damaged, and put a sound one in its place: see
        `CollectionIndex.verify`."""
        return self._index.verify()

    def leave_building(self, ask: Callable[[], object]) -> None:
        """Have questions that meet changed files `ask` for a version, which another process builds."""
        self._index.elsewhere = ask

    def publish(
        self, instead: Mapping[str, bytes], approve: Approve, progress: Progress | None = None, author: str = ""
    ) -> BuildReport:
        """Build a version with changed files, and serve it if approved: see `CollectionIndex.publish`."""
        return self._index.publish(instead, approve, progress, author)

    def trying(
        self, instead: Mapping[str, bytes], progress: Progress | None = None
    ) -> AbstractContextManager[IndexVersion]:
        """Enter with a version with changed files that is gone afterwards: see `CollectionIndex.trying`."""
        return self._index.trying(instead, progress)

    def asker(self, version: IndexVersion, judge: Judge | None = None) -> Asker:
        """Return how to ask a version as a customer would, whether or not it is served. Nothing is kept but the
        questions' vectors. What is returned raises as `ask` does."""
        embedder = KnownQuestions(embedder_of(version.manifest), self.vectors)

        def ask(question: str, options: AskOptions = NO_OPTIONS) -> Answer:
            return with_addresses(self._answer(version, question, Reader(), options, judge, embedder)[0])

        return ask

    def versions(self) -> list[Manifest]:
        """Return the index versions that can be served, newest first."""
        return self._index.versions()

    def texts_of(self, document_id: str) -> Iterator[str]:
        """Yield what a document said in each index version that is kept, newest first."""
        return self._index.texts_of(document_id)

    def served(self) -> Manifest | None:
        """Return the index version that is served, as it is; None when there is none yet."""
        return self._index.served()

    def served_version(self) -> IndexVersion | None:
        """Return the version that is served, whether or not it is as new as the files; None when there is none."""
        return self._index.served_version()

    def trouble(self) -> Trouble | None:
        """Return what is wrong with the index; None when it is as new as the files."""
        return self._index.trouble()

    def rollback(self, version: str) -> Manifest:
        """Serve another index version, until the files change. Raises IndexProblem."""
        return self._index.switch(version)

    def version(self, version: str) -> IndexVersion:
        """Return an index version that can be served. Raises IndexProblem."""
        return self._index.version(version)

    def live(self) -> IndexVersion:
        """Return the index version that is served. Raises IndexProblem."""
        return self._index.live()

    def problem(self) -> str:
        """Say what is wrong with the index; "" when it is as new as the files."""
        return self._index.problem()

    def _conflicts_in(self, version: IndexVersion) -> list[Conflict]:
        """Return the pairs among all current documents; they are kept, since finding them reads every sentence."""
        known, pairs = self._conflicts
        if known != version.manifest.id:
            current = [one.id for one in version.documents().values() if one.status == Status.CURRENT]
            pairs = find_conflicts(chunk for id_ in current for chunk in version.chunks_of(id_))
            self._conflicts = (version.manifest.id, pairs)
        return pairs

    def _new(self, question: str, reader: Reader, options: AskOptions, once: str | None) -> Answer:
        version = self._index.live()
        made, trace = self._known_or_new(version, question, reader, options)
        cited = dict.fromkeys(citation.document_id for citation in made.citations)
        copies = {document_id: snapshot_of(version, document_id) for document_id in cited}
        kept_id = self._keeper.keep(Kept(made, trace, reader.role.value, copies, once, reader.groups, options.asker))
        if kept_id != made.id:  # the same form was sent twice at once, and the other was first
            return self._earlier(once) or with_addresses(made)
        for observe in self.observers:
            observe(made, trace)
        return with_addresses(made)

    def _known_or_new(self, version: IndexVersion, question: str, reader: Reader, options: AskOptions) -> Made:
        model = model_client(self._settings, options.model).name
        asking = asking_of(question, reader, version.manifest, model, options)
        made, trace = self._known.get(asking, partial(self._answer, version, question, reader, options))
        if trace.same_as:
            options.told("retrieving")
            if trace.prompt:
                options.told("checking")
        return made, trace

    def _answer(
        self,
        version: IndexVersion,
        question: str,
        reader: Reader,
        options: AskOptions,
        judge: Judge | None = None,
        embedder: Embedder | None = None,
    ) -> tuple[Answer, Trace]:
        embedder = embedder or self._meanings.known_to(reader, embedder_of(version.manifest))
        parts = Parts(
            retriever=Retriever(version, embedder),
            judge=judge or calibration_of(version.manifest).judge,
            model=self.meter.metered(model_client(self._settings, options.model)),
            config=version.manifest.config,
            budget=Budget(least=self._settings.k),
            read_as=partial(read_as, version=version),
            scorer=scorer_for(embedder),
            told=options.told,
        )
        wishes = Wishes(
            only_lang=options.only_lang, attributes=options.attributes, follows=options.follows, lang=options.lang
        )
        return answer(question, reader, parts, wishes)

    def _earlier(self, once: str | None) -> Answer | None:
        answer_id = self._keeper.store.answers.id_of(once) if once else None
        stored = self._keeper.find(answer_id) if answer_id else None
        return with_addresses(stored.answer) if isinstance(stored, Stored) else None

    def _cited_by(self, answer_id: str | None, document_id: str, shelf: Shelf) -> Stored | None:
        stored = self._keeper.find(answer_id) if answer_id else None
        if not isinstance(stored, Stored) or stored.answer.collection != self.name:
            return None
        cites = document_id in stored.snapshots
        return stored if cites and cited_copies(stored, self._keeper, shelf) is not None else None

    def _source_at(self, hash_: str, document_id: str, shelf: Shelf, stored: Stored | None) -> Source | None:
        copy = self._keeper.store.snapshots.get(hash_)
        if copy is None or (copy.collection, copy.document_id) != (self.name, document_id):
            return None
        source = shelf.source_copy(copy)
        return replace(source, answer=with_addresses(stored.answer)) if source and stored else source


def cited_copies(stored: Stored, keeper: Keeper, shelf: Shelf) -> dict[str, Snapshot] | None:
    """Return the documents an answer cites, by id, as they were; None when the reader may not see every one of them,
    or one is gone, so that nobody can tell."""
    copies = {}
    for document_id, hash_ in stored.snapshots.items():
        copy = keeper.store.snapshots.get(hash_)
        if copy is None or not shelf.sees_copy(copy):
            return None
        copies[document_id] = copy
    return copies


def with_addresses(given: Answer) -> Answer:
    """Return the answer with the address of every citation."""
    cited = tuple(one.model_copy(update={"url": _address(given, one)}) for one in given.citations)
    return given.model_copy(update={"citations": cited})


def _address(given: Answer, one: Citation) -> str:
    lines = f"{one.first_line}-{one.last_line}" if one.last_line > one.first_line else f"{one.first_line}"
    place = f"/c/{quote(given.collection, safe='')}/sources/{quote(one.document_id)}"
    return f"{place}?lines={lines}&answer={given.id}&n={one.marker}#L{one.first_line}"


def _once(options: AskOptions, collection: str, question: str, reader: Reader) -> str | None:
    """Return the key under which a form's answer is found again, by a like reader who asks the same in the same way."""
    if options.once is None:
        return None
    wishes = (
        options.only_lang or "",
        options.follows.answer_id if options.follows else "",
        *(f"{name}={value}" for name, value in sorted(options.attributes.items())),
    )
    words = "\0".join((options.once, collection, question, *wishes, reader.role.value, *sorted(reader.groups)))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
