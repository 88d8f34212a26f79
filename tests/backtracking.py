"""A regular expression run step by step as Python's own matcher runs it, so that its work can be counted exactly.

Time tells how busy a machine is; the number of steps tells what a pattern makes of a text, the same on every machine.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_PLENTY = 100_000
_UNBOUNDED = 20  # a repetition that may go on for longer counts as one without end
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_ONE_CHARACTER = ("LITERAL", "NOT_LITERAL", "ANY", "IN")
_USUAL = "aZ1 -\n\t.,:;<>/\"'`([{}])=*_#@%|~!?\\কি১।"  # tried before the signs that a pattern itself names

Then = Callable[[int], bool]  # what is to match from a place on
Node = Callable[[int, Then], bool]


class TooManySteps(Exception):
    """The limit is reached."""


class Machine:
    """One pattern, ready to be run over texts."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        tree = _parser.parse(pattern.pattern, pattern.flags)
        self._state = tree.state
        self._text, self._steps, self._limit = "", 0, 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._start = self._sequence(list(tree), pattern.flags)

    def match_end(self, text: str) -> int | None:
        """Return where a match at the beginning ends, None when there is none."""
        self._text, self._steps, self._limit = text, 0, _PLENTY
        return self._end(0)

    def steps(self, text: str, everywhere: bool, limit: int = _PLENTY) -> int:
        """Return how many steps it takes to match at the beginning, or to look `everywhere` for all that matches.

        Raises TooManySteps.
        """
        self._text, self._steps, self._limit = text, 0, limit
        place = 0
        while place <= len(text):
            end = self._end(place)
            if not everywhere:
                break
            place = max(place + 1, end or 0)
        return self._steps

    def _end(self, place: int) -> int | None:
        self._groups, end = {}, [place]
        return end[0] if self._start(place, lambda at: _put(end, at)) else None

    def _step(self) -> None:
        self._steps += 1
        if self._steps > self._limit:
            raise TooManySteps

    def _sequence(self, items: list[Any], flags: int) -> Node:
        nodes = [self._node(name, value, flags) for name, value in ((str(item[0]), item[1]) for item in items)]

        def run(place: int, then: Then, first: int = 0) -> bool:
            if first == len(nodes):
                return then(place)
            return nodes[first](place, lambda at: run(at, then, first + 1))

        return run if len(nodes) != 1 else nodes[0]

    def _node(self, name: str, value: Any, flags: int) -> Node:
        if name in _ONE_CHARACTER:
            return self._character(name, value, flags)
        if name in _REPEATS:
            return self._repeat(name, value, flags)
        return getattr(self, f"_{name.lower()}")(value, flags)  # type: ignore[no-any-return]

    def _character(self, name: str, value: Any, flags: int) -> Node:
        fits = self.accepts(name, value, flags)

        def run(place: int, then: Then) -> bool:
            self._step()
            return place < len(self._text) and fits(self._text[place]) and then(place + 1)

        return run

    def accepts(self, name: str, value: Any, flags: int) -> Callable[[str], bool]:
        """Return whether a node of one character takes a character."""
        alone = self._alone(name, value, flags)
        return cache(lambda char: alone.match(char) is not None)

    def _alone(self, name: str, value: Any, flags: int) -> re.Pattern[str]:
        """Compile one node as a pattern by itself."""
        tree = _parser.SubPattern(self._state, [(getattr(_parser, name), value)])
        return _compiler.compile(tree, flags)  # type: ignore[no-any-return]

    def _repeat(self, name: str, value: Any, flags: int) -> Node:
        least, most, items = value[0], int(value[1]), list(value[2])
        if len(items) == 1 and str(items[0][0]) in _ONE_CHARACTER:
            fits = self.accepts(str(items[0][0]), items[0][1], flags)
            return self._repeat_character(name, fits, least, most)
        body = self._sequence(items, flags)
        if name == "POSSESSIVE_REPEAT":
            return self._possessive(body, least, most)

        def run(place: int, then: Then, count: int = 0) -> bool:
            self._step()

            def more() -> bool:
                return count < most and body(
                    place, lambda at: (at > place or count < least) and run(at, then, count + 1)
                )

            if count < least:
                return more()
            return (more() or then(place)) if name == "MAX_REPEAT" else (then(place) or more())

        return run

    def _repeat_character(self, name: str, fits: Callable[[str], bool], least: int, most: int) -> Node:
        def run(place: int, then: Then) -> bool:
            text, end = self._text, place
            stop = len(text) if most >= _UNBOUNDED else min(len(text), place + most)
            if name == "MIN_REPEAT":
                while end - place < least or not then(end):
                    self._step()
                    if end >= stop or not fits(text[end]):
                        return False
                    end += 1
                return True
            while end < stop and fits(text[end]):
                self._step()
                end += 1
            while end - place >= least:
                self._step()
                if then(end):
                    return True
                if name == "POSSESSIVE_REPEAT":
                    return False
                end -= 1
            return False

        return run

    def _possessive(self, body: Node, least: int, most: int) -> Node:
        def run(place: int, then: Then) -> bool:
            count, reached = 0, [place]
            while count < most and body(reached[0], lambda at: _put(reached, at)):
                self._step()
                count += 1
                if reached[0] == place:
                    break
                place = reached[0]
            return count >= least and then(reached[0])

        return run

    def _branch(self, value: Any, flags: int) -> Node:
        branches = [self._sequence(list(one), flags) for one in value[1]]
        return lambda place, then: any(branch(place, then) for branch in branches)

    def _subpattern(self, value: Any, flags: int) -> Node:
        group, added, taken, items = value
        body = self._sequence(list(items), (flags | added) & ~taken)
        if group is None:
            return body

        def run(place: int, then: Then) -> bool:
            def closed(at: int) -> bool:
                before = self._groups.get(group)
                self._groups[group] = (place, at)
                if then(at):
                    return True
                self._groups.pop(group) if before is None else self._groups.update({group: before})
                return False

            return body(place, closed)

        return run

    def _atomic_group(self, value: Any, flags: int) -> Node:
        return self._possessive(self._sequence(list(value), flags), 1, 1)

    def _at(self, value: Any, flags: int) -> Node:
        alone = self._alone("AT", value, flags)
        return lambda place, then: alone.match(self._text, place) is not None and then(place)

    def _assert(self, value: Any, flags: int, wanted: bool = True) -> Node:
        direction, items = value
        if direction < 0:  # of a fixed width
            alone = self._alone("ASSERT", value, flags)
            return lambda place, then: (alone.match(self._text, place) is not None) is wanted and then(place)
        body = self._sequence(list(items), flags)
        return lambda place, then: body(place, lambda _: True) is wanted and then(place)

    def _assert_not(self, value: Any, flags: int) -> Node:
        return self._assert(value, flags, wanted=False)

    def _groupref(self, value: Any, flags: int) -> Node:
        def run(place: int, then: Then) -> bool:
            self._step()
            if value not in self._groups:
                return False
            said = self._text[slice(*self._groups[value])]
            return self._text.startswith(said, place) and then(place + len(said))

        return run


def _put(cell: list[int], value: int) -> bool:
    cell[0] = value
    return True


def attacks(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """Yield beginning, piece to repeat, and end of texts that make a pattern work: its own repetitions gone on for long
    and then disappointed, and all that leads up to one over and over again."""
    machine = Machine(pattern)
    tree = list(_parser.parse(pattern.pattern, pattern.flags))
    signs = dict.fromkeys(_USUAL + "".join(map(chr, _named(tree))))
    seen = set()
    for before, body in _repetitions(tree, ""):
        for piece in islice(_pieces(machine, body, pattern.flags, "".join(signs)), 4):
            for beginning, again in ((before, piece), ("", piece), ("", before + piece)):
                for end in ("\x00", "\n\x00"):
                    if again and (attack := (beginning, again, end)) not in seen:
                        seen.add(attack)
                        yield attack


def _named(items: list[Any]) -> Iterator[int]:
    """Yield the characters that a pattern names."""
    for name, value in ((str(item[0]), item[1]) for item in items):
        if name in ("LITERAL", "NOT_LITERAL"):
            yield value
        elif name == "RANGE":
            yield from value
        elif name == "IN":
            yield from _named(list(value))
        else:
            for inner in _inner(name, value):
                yield from _named(inner)


def _inner(name: str, value: Any) -> list[list[Any]]:
    """Return the sequences inside a node."""
    if name in _REPEATS:
        return [list(value[2])]
    if name == "BRANCH":
        return [list(one) for one in value[1]]
    if name == "SUBPATTERN":
        return [list(value[3])]
    if name == "ATOMIC_GROUP":
        return [list(value)]
    return [list(value[1])] if name in ("ASSERT", "ASSERT_NOT") else []


def _repetitions(items: list[Any], before: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield each body that is repeated without end, with a text that leads up to it."""
    for item in items:
        name, value = str(item[0]), item[1]
        if name in _REPEATS and int(value[1]) >= _UNBOUNDED:
            yield before, list(value[2])
        if name != "ASSERT_NOT":
            for inner in _inner(name, value):
                yield from _repetitions(inner, before)
        before += _sample([item])


def _pieces(machine: Machine, body: list[Any], flags: int, signs: str) -> Iterator[str]:
    """Yield texts that a repeated body takes, shortest alternatives each for itself."""
    if len(body) == 1 and str(body[0][0]) in _ONE_CHARACTER:
        fits = machine.accepts(str(body[0][0]), body[0][1], flags)
        yield from (char for char in signs if fits(char))
        return
    yield _sample(body)
    for item in body:
        for inner in _inner(str(item[0]), item[1]):
            yield _sample(inner)


@cache
def _of_set(value: tuple[Any, ...]) -> str:
    tree = _parser.SubPattern(_parser.State(), [(_parser.IN, list(value))])
    one = _compiler.compile(tree, 0)
    return next((char for char in _USUAL + "".join(map(chr, _named(list(value)))) if one.match(char)), "")


def _sample(items: list[Any]) -> str:
    """Return a text that a sequence may well take."""
    said = ""
    for name, value in ((str(item[0]), item[1]) for item in items):
        if name == "LITERAL":
            said += chr(value)
        elif name == "NOT_LITERAL":
            said += "a" if value != ord("a") else "b"
        elif name == "ANY":
            said += "a"
        elif name == "IN":
            said += _of_set(tuple((op, tuple(v) if isinstance(v, list) else v) for op, v in value))
        elif name in _REPEATS:
            said += _sample(list(value[2])) * max(1, value[0])
        elif name not in ("ASSERT", "ASSERT_NOT"):
            said += next((text for inner in _inner(name, value) if (text := _sample(inner))), "")
    return said
