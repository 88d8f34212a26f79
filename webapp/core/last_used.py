"""The last values that were asked for, of things that never change: getting one again takes nothing."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LastUsed(Generic[Value]):
    """So many values, by key; the one that was asked for longest ago goes first. Safe to use from several threads."""

    def __init__(self, most: int, weight: Callable[[Value], int] = lambda _: 1) -> None:
        """Together they weigh at most so much; one that weighs more alone is not kept."""
        self._most = most
        self._weight = weight
        self._weighs = 0
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value of that key, None when it isn't kept."""
        with self._lock:
            value = self._kept.get(key)
            if value is not None:
                self._kept.move_to_end(key)
            return value

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value; return it."""
        weight = self._weight(value)
        with self._lock:
            if key not in self._kept and weight <= self._most:
                self._kept[key] = value
                self._weighs += weight
            while self._weighs > self._most:
                self._weighs -= self._weight(self._kept.popitem(last=False)[1])
        return value
