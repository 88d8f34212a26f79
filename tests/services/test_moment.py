from __future__ import annotations

import threading
import time

from tests.conftest import Desks
from webapp.services.moment import OfLiveVersion


def test_what_several_want_to_know_of_a_version_is_found_out_once(shared_desks: Desks) -> None:
    version, remembered, looks = shared_desks.services.desk().live(), OfLiveVersion(), list[int]()

    def look() -> int:
        time.sleep(0.05)
        looks.append(1)
        return len(looks)

    found: list[int] = []
    asking = [threading.Thread(target=lambda: found.append(remembered.of(version, "it", look))) for _ in range(8)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert (found, looks) == ([1] * 8, [1])
