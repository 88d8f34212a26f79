from __future__ import annotations

import pytest

from tests.core.answering.fakes import BIKE, FakeModel, hits, says
from webapp.core.answering.model import ModelReply
from webapp.core.answering.models.base import models
from webapp.core.answering.models.recorded import Recorded, Recorder, RecordingMissing, recording_file
from webapp.core.answering.prompt import DEFAULT_BUDGET, build_request

REQUEST = build_request("How long?", "en", hits(BIKE), DEFAULT_BUDGET)


def test_what_was_recorded_is_played_back(tmp_path):
    said = says((BIKE.sentences[0].text, [BIKE.id]))
    recorder = Recorder(FakeModel(said), tmp_path / "replies")
    assert recorder.reply(REQUEST) == said
    part = models.get("recorded")
    assert part.make(part.parse({"folder": tmp_path / "replies"})).reply(REQUEST) == said


def test_a_truncated_reply_stays_truncated(tmp_path):
    Recorder(FakeModel(ModelReply("{", truncated=True)), tmp_path).reply(REQUEST)
    assert Recorded(tmp_path).reply(REQUEST).truncated


def test_another_prompt_has_no_recording(tmp_path):
    Recorder(FakeModel(ModelReply("{}")), tmp_path).reply(REQUEST)
    other = build_request("How short?", "en", hits(BIKE), DEFAULT_BUDGET)
    with pytest.raises(RecordingMissing, match=recording_file(tmp_path, other).name):
        Recorded(tmp_path).reply(other)
