"""What is done with texts before a model sees them: the prefixes it was taught, and the scripts that it wasn't."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

import numpy as np
from pydantic import BaseModel, Field

from webapp.core.retrieval.embedders.base import Vectors
from webapp.core.retrieval.local_models import whole_characters

Scripts = tuple[str, ...]
SCRIPTS = "Scripts that the model was taught, by their Unicode names, such as LATIN or BENGALI; empty: all"


class TextOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of every embedder whose model its collection chooses."""

    query_prefix: str = Field("", description="Put before every question, where the model was taught so")
    passage_prefix: str = Field("", description="Put before every passage, likewise")
    scripts: Scripts = Field((), description=SCRIPTS)


def embedded(
    texts: Sequence[str], prefix: str, scripts: Scripts, dim: int, encode: Callable[[list[str]], Vectors]
) -> Vectors:
    """Return a vector for each text, (texts, dim); zeros for blank ones and those in a script that isn't known."""
    vectors = np.zeros((len(texts), dim), dtype=np.float32)
    readable = [i for i, text in enumerate(texts) if text.strip() and knows(scripts, text)]
    if readable:
        vectors[readable] = encode([prefix + whole_characters(texts[i]) for i in readable])
    return vectors


def knows(scripts: Collection[str], text: str) -> bool:
    """Tell whether a model that was taught those scripts (none named: all of them) can read the text.

    It can when at least half of the letters are of theirs: a Bangla question doesn't become English by a product code,
    nor an English one Bangla by a name.
    """
    letters = [character for character in text if character.isalpha()]
    own = sum(_script(letter) in scripts for letter in letters)
    return not scripts or 2 * own >= len(letters)


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    """Return the first word of the character's name, which for letters is their script: LATIN, BENGALI, CYRILLIC."""
    return unicodedata.name(letter, "").partition(" ")[0]
