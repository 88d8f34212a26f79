from __future__ import annotations

from pydantic import SecretStr

from tests.conftest import Desks
from webapp.services.signing import note_key, other_key_seen_at


def test_a_process_that_signs_with_another_key_is_noticed(desks: Desks) -> None:
    settings, store = desks.settings, desks.services.store
    note_key(settings, store)
    assert other_key_seen_at(settings, store) is None
    note_key(settings.model_copy(update={"secret_key": SecretStr("another")}), store)
    seen = other_key_seen_at(settings, store)
    assert seen
    assert store.now() >= seen
