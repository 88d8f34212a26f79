"""The prompt: fixed rules, the evidence in escaped blocks, then the question. Nothing is filled into a template."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources

from webapp.core.answering.model import ModelRequest
from webapp.core.retrieval.model import Hit


@dataclass(frozen=True, slots=True)
class Budget:
    """How much evidence is sent. Up to `least` chunks as long as the window holds them; from there up to `most`
    while all of them together stay within `characters`."""

    least: int = 3
    most: int = 8
    characters: int = 6_000
    window: int = 24_000  # what the model can take in, in characters of evidence


DEFAULT_BUDGET = Budget()


def choose_evidence(hits: Sequence[Hit], budget: Budget) -> tuple[Hit, ...]:
    """Return the hits to send, by rank. The first one always goes; `evidence_block` cuts it to the window."""
    chosen: list[Hit] = []
    used = 0
    for hit in hits:
        size = len(evidence_text(hit))
        limit = budget.window if len(chosen) < budget.least else budget.characters
        if len(chosen) == budget.most or (chosen and used + size > limit):
            break
        chosen.append(hit)
        used += size
    return tuple(chosen)


def evidence_text(hit: Hit) -> str:
    """Return `title / heading: text`, with the header row of a table that began in an earlier chunk."""
    chunk = hit.chunk
    body = f"{chunk.lead}\n{chunk.plain}" if chunk.lead else chunk.plain
    return f"{chunk.context}: {body}" if chunk.context else body


def evidence_block(hit: Hit, window: int) -> str:
    """Return one block; angle brackets of the document are escaped, so its text can't open or close one."""
    text = escape(evidence_text(hit)[:window], quote=False)
    return f'<evidence source="{escape(hit.chunk.id, quote=True)}">\n{text}\n</evidence>'


def build_request(question: str, lang: str, evidence: Sequence[Hit], budget: Budget) -> ModelRequest:
    """Return what the model is asked."""
    blocks = [evidence_block(hit, budget.window) for hit in evidence]
    blocks.append(f"<question>\n{escape(question, quote=False)}\n</question>")
    return ModelRequest(system_rules(), "\n\n".join(blocks), question, lang, tuple(evidence))


@cache
def system_rules() -> str:
    """Return the fixed rules, a text file of this package."""
    return resources.files("webapp.core.answering.prompts").joinpath("system.txt").read_text(encoding="utf-8")


def prompt_hash(request: ModelRequest) -> str:
    """Return the sha256 of rules and prompt (hex): the same prompt always has the same one."""
    text = f"{request.system}\0{request.user}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
