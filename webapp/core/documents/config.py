"""What a collection may say about itself: the whole of collection.toml, each key described once."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from webapp.core.origins import origins

CONFIG_FILE = "collection.toml"
GOLDEN_FILE = "golden.jsonl"
FACTS_FILE = "facts.jsonl"
MAX_WRONG = 0.05  # what a wrong answer may cost, where a collection doesn't say


def _by_language(value: Any) -> Any:
    """A bare string counts for every language ("*")."""
    return {"*": value} if isinstance(value, str) else value


Wording = Annotated[dict[str, str], BeforeValidator(_by_language)]


class CollectionError(ValueError):
    """A collection's folder or its collection.toml can't be used; the message says why and what to do."""


class CollectionConfig(BaseModel, frozen=True, extra="forbid"):
    """The settings of one collection. Everything is optional."""

    name: str = Field("", description="Short name, used in addresses; default: the folder's name")
    title: Wording = Field(default_factory=dict, description="Name shown to readers, for each language")
    languages: tuple[str, ...] = Field(("en",), description="Languages of the documents, main one first")
    embedder: str = Field("e5-small", description="Registered embedder that gives the meaning vectors")
    embedder_options: dict[str, Any] = Field(default_factory=dict, description="Options of the embedder")
    reranker: str = Field("none", description="Registered reranker that puts the best hits in a new order")
    reranker_options: dict[str, Any] = Field(default_factory=dict, description="Options of the reranker")
    strategy: str = Field("structure", description="Registered chunking strategy")
    options: dict[str, int] = Field(default_factory=dict, description="Options of the strategy")
    section_level: int = Field(2, ge=1, le=6, description="Headings up to this level start a section")
    fallback: Wording = Field(default_factory=dict, description="Said instead of an answer when abstaining")
    contact: Wording = Field(default_factory=dict, description="Whom to ask instead")
    examples: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Example questions, for each language"
    )
    groups: tuple[str, ...] = Field((), description="Groups that documents may be limited to")
    staff_see_groups: bool = Field(False, description="Agents, editors and admins see every group's documents")
    filters: tuple[str, ...] = Field((), description="Front-matter fields that readers may filter by")
    framed_by: Annotated[tuple[str, ...], AfterValidator(origins)] = Field(
        (), description="Origins, such as https://shop.example, whose pages may show this collection's in a frame"
    )
    synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="Words that mean the same here")
    status_when_missing: Literal["current", "held_back"] = Field("current", description="For documents without one")
    max_wrong: float = Field(
        MAX_WRONG, ge=0, le=0.5, description="Share of the questions that nothing answers that may be answered at most"
    )
    compare: tuple[dict[str, Any], ...] = Field((), description="Settings compared by default")

    def wording(self, of: Literal["title", "fallback", "contact"], lang: str) -> str:
        """Return that text in `lang`, else for every language, else in the main language, else ""."""
        texts: dict[str, str] = getattr(self, of)
        return texts.get(lang) or texts.get("*") or texts.get(self.languages[0]) or ""


def read_config(folder: Path) -> CollectionConfig:
    """Read a folder's collection.toml; defaults when there is none. Raises CollectionError."""
    file = folder / CONFIG_FILE
    if not folder.is_dir():
        raise CollectionError(f"{folder} is not a folder; give a folder of Markdown files")
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        given.setdefault("name", folder.resolve().name)
        return CollectionConfig.model_validate(given)
    except (OSError, ValueError) as error:
        raise CollectionError(f"{file}: {error}") from error
