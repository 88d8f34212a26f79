"""A folder → its documents and its problems: one bad file never stops the rest, and none vanishes unsaid."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from webapp.core.documents.config import GOLDEN_FILE, CollectionConfig, CollectionError, read_config
from webapp.core.documents.errors import DocumentError
from webapp.core.documents.git_dates import git_dates
from webapp.core.documents.model import PUBLIC, Collection, Document, Problem, Status
from webapp.core.documents.originals import ORIGINALS, remark_on
from webapp.core.documents.reading import document_from_bytes

SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".txt"})


@dataclass(slots=True)
class _Reading:
    """What was found so far."""

    known: Mapping[tuple[str, str], Document]  # documents by path and hash of the file that need no second reading
    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)


def load_collection(
    folder: Path, instead: Mapping[str, bytes] | None = None, known: Collection | None = None
) -> Collection:
    """Read every document of the folder, in the order of their paths. Raises CollectionError for the folder itself.

    `instead` gives what files hold (by path in the folder) that are not written yet: the collection is the one that
    would be read if they were, committed today. `known` is an earlier reading: what has not changed since is taken
    from there, which makes no difference but in time.
    """
    config = read_config(folder)
    found, instead = _Reading(_taken_over(known, config)), instead or {}
    files = {_relative(file, folder): file for file in document_files(folder, found.problems)}
    files |= {path: folder / path for path in instead}
    for path in sorted(files):
        _read(files[path], path, config, found, instead.get(path))
    documents = _dated(_with_unique_ids(found.documents, found.problems), folder, instead)
    problems = sorted(found.problems, key=lambda problem: (problem.path, problem.line))
    hash_ = _corpus_hash(config, [*found.hashes, *_golden_hash(folder)])
    return Collection(config, folder, tuple(documents), tuple(problems), hash_, tuple(found.documents))


def _taken_over(known: Collection | None, config: CollectionConfig) -> dict[tuple[str, str], Document]:
    if known is None or known.config != config:
        return {}
    return {(document.path, document.content_hash): document for document in known.as_read}


def document_files(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    """Yield the folder's documents by path; hidden folders and links out of the folder are left out.

    What can't be read, is not followed or has to be converted first is added to `problems`. Raises CollectionError
    for the folder itself.
    """
    for file in visible_files(folder, problems):
        suffix = file.suffix.lower()
        if suffix in SUFFIXES:
            yield file
        elif suffix in ORIGINALS:
            _note(file, folder, _remark_on(file), problems)


def visible_files(folder: Path, problems: list[Problem]) -> list[Path]:
    """Return the folder's files of every kind by path, without hidden ones. Raises CollectionError."""
    try:
        os.listdir(folder)
    except OSError as error:
        raise CollectionError(f"{folder} can't be read ({error.strerror}); check its permissions") from error
    return sorted(_walk(folder, folder, problems), key=lambda file: _relative(file, folder))


def _walk(folder: Path, root: Path, problems: list[Problem]) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(_shown(_relative(folder, root)), 0, f"the folder can't be read: {error.strerror}"))
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith("."):
            continue
        if entry.is_symlink():
            _note(path, root, _remark_on_link(path, root), problems)
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root, problems)
        elif entry.is_file(follow_symlinks=False):
            yield path
        elif path.suffix.lower() in SUFFIXES:
            _note(path, root, "it is no file but a device or a pipe, and is not read", problems)


def _remark_on(original: Path) -> str:
    try:
        return remark_on(original)
    except OSError as error:
        return f"the file can't be read: {error.strerror}"


def _remark_on_link(link: Path, root: Path) -> str:
    """Return why a link is not followed; "" when it leads to what is read anyway."""
    try:
        target, top = link.resolve(strict=True), root.resolve()
    except (OSError, RuntimeError):  # the latter for a circle of links
        return "the link leads nowhere"
    if not target.is_relative_to(top):
        return "the link leads out of the folder and is not followed; copy what it leads to"
    hidden = any(part.startswith(".") for part in target.relative_to(top).parts)
    if link.suffix.lower() in SUFFIXES and (hidden or target.suffix.lower() not in SUFFIXES):
        return "the link leads to a file that is not read; copy it"
    return ""


def _note(path: Path, root: Path, remark: str, problems: list[Problem]) -> None:
    if remark:
        problems.append(Problem(_shown(_relative(path, root)), 0, remark, held_back=False))


def _shown(path: str) -> str:
    """Return a path as it can be written down: bytes of a name that are no UTF-8 become question marks."""
    return path.encode("utf-8", "replace").decode()


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _read(file: Path, path: str, config: CollectionConfig, found: _Reading, data: bytes | None) -> None:
    if _shown(path) != path:
        found.problems.append(Problem(_shown(path), 0, "the file's name is not UTF-8; rename it"))
        return
    try:
        data = file.read_bytes() if data is None else data
        content_hash = hashlib.sha256(data).hexdigest()
        found.hashes.append(f"{path}\0{content_hash}")
        document = found.known.get((path, content_hash)) or document_from_bytes(data, path, config)
    except OSError as error:
        found.problems.append(Problem(path, 0, f"the file can't be read: {error.strerror}"))
    except DocumentError as error:
        found.problems.append(Problem(path, error.line, str(error)))
    except Exception as error:  # a mistake of ours: it holds back the file, not the thousands beside it
        found.problems.append(Problem(path, 0, f"reading it failed ({type(error).__name__}); please report this file"))
    else:
        found.documents.append(document)
        found.problems.extend(Problem(path, 0, remark, held_back=False) for remark in _remarks(document, config))


def _remarks(document: Document, config: CollectionConfig) -> Iterator[str]:
    """Yield what is worth saying of a document that is kept."""
    if not any(section.text for section in document.sections):
        yield "the document has no text"
    unknown = document.audience - {PUBLIC} - set(config.groups)
    if unknown:
        yield f"audience {', '.join(sorted(unknown))!r} is no group of the collection: no reader sees the document"
    if "languages" in config.model_fields_set and document.lang not in config.languages:
        yield f"its language {document.lang!r} is not one of the collection's: {', '.join(config.languages)}"


def _with_unique_ids(documents: list[Document], problems: list[Problem]) -> list[Document]:
    """Return the documents without those that clash; ids made from paths give way to declared ones."""
    taken = {document.id for document in documents if document.declared_id}
    unique: list[Document] = []
    for document in documents:
        id_ = document.id if document.declared_id else _free_id(document, taken)
        unique.append(replace(document, id=id_) if id_ != document.id else document)
        taken.add(id_)
    return _without_clashes(unique, problems)


def _free_id(document: Document, taken: set[str]) -> str:
    names = (document.path + "~" * count for count in itertools.count())
    return next(name for name in itertools.chain([document.id], names) if name not in taken)


def _dated(documents: list[Document], folder: Path, today: Iterable[str]) -> list[Document]:
    """Return the documents with the day of their last commit where they don't say when they were updated."""
    if all(document.updated for document in documents):
        return documents
    days = git_dates(folder)
    days |= dict.fromkeys(today, date.today()) if days else {}
    return [
        document if document.updated or document.path not in days else replace(document, updated=days[document.path])
        for document in documents
    ]


def _without_clashes(documents: list[Document], problems: list[Problem]) -> list[Document]:
    """Hold back current documents of one id, all of them: none may answer for the others."""
    by_id: defaultdict[str, list[Document]] = defaultdict(list)
    for document in documents:
        by_id[document.id].append(document)
    clashing: set[str] = set()
    for same in by_id.values():
        current = [document for document in same if document.status is Status.CURRENT]
        if len(same) > 1:
            held = current if len(current) != 1 else [document for document in same if document not in current]
            clashing.update(document.path for document in held)
            problems.extend(_clash(document, same) for document in held)
    return [document for document in documents if document.path not in clashing]


def _clash(document: Document, same: list[Document]) -> Problem:
    others = " and ".join(other.path for other in same if other.path != document.path)
    return Problem(document.path, 0, f"id {document.id!r} is also that of {others}; give each its own id")


def _golden_hash(folder: Path) -> list[str]:
    """The golden set calibrates what is built from the documents, so it counts like one."""
    try:
        data = (folder / GOLDEN_FILE).read_bytes()
    except OSError:
        return []
    return [f"{GOLDEN_FILE}\0{hashlib.sha256(data).hexdigest()}"]


def _corpus_hash(config: CollectionConfig, hashes: list[str]) -> str:
    told = "\n".join([config.model_dump_json(), *hashes])
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()
