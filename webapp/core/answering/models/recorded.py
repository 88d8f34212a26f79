"""Recorded replies stand in for a model: one file for each prompt, named by its hash. No recording, no answer."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, Field

from webapp.core.answering.model import Model, ModelReply, ModelRequest
from webapp.core.answering.models.base import models
from webapp.core.answering.prompt import prompt_hash


class RecordingMissing(LookupError):
    """There is no recorded reply for this prompt: an error of the set-up, never an abstention."""


class RecordedOptions(BaseModel, frozen=True, extra="forbid"):
    """Options of the recorded model."""

    folder: Path = Field(description="Folder that holds the recorded replies")


class Recorded:
    """Plays back the replies of a folder."""

    name = "recorded"
    external = False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the recorded reply. Raises RecordingMissing."""
        file = recording_file(self._folder, request)
        if not file.exists():
            raise RecordingMissing(
                f"no recorded reply for the question {request.question!r}: record it as {file.name} in {file.parent}"
            )
        return ModelReply(**json.loads(file.read_text(encoding="utf-8"))["reply"])


class Recorder:
    """Passes requests on to a model and keeps each reply in a folder, for Recorded to play back."""

    def __init__(self, model: Model, folder: Path) -> None:
        self.name = model.name
        self.external = model.external
        self._model = model
        self._folder = folder

    def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply, after writing it down. Raises ModelUnavailable."""
        reply = self._model.reply(request)
        record(self._folder, request, reply)
        return reply


def record(folder: Path, request: ModelRequest, reply: ModelReply) -> Path:
    """Keep a reply as the recorded one for its prompt; return its file."""
    file = recording_file(folder, request)
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"question": request.question, "reply": asdict(reply)}
    file.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return file


def recording_file(folder: Path, request: ModelRequest) -> Path:
    """Return where the reply to that prompt is or would be kept."""
    return folder / f"{prompt_hash(request)}.json"


@models.register("recorded", "Replies recorded beforehand, for tests and demonstrations", RecordedOptions)
def make(options: RecordedOptions) -> Model:
    """Return the model."""
    return Recorded(options.folder)
