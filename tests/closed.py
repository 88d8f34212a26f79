"""Folders that are closed to writing, also for whoever may write anywhere."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VERSION = 0x20080522  # of the call, as Linux names it
_OVERRIDING = 0b10  # CAP_DAC_OVERRIDE: an administrator writes where the rights of a file say no


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("thread", ctypes.c_int))


class _Rights(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def closed_to_writing(folder: Path, deep: bool = True) -> Iterator[None]:
    """Nothing can be made or removed in the folder by this thread; `deep`: nor changed, and so in all it holds."""
    places = [folder, *(one for one in folder.rglob("*") if deep and not one.is_symlink())]
    rights = {place: place.stat().st_mode for place in places}
    for place, mode in rights.items():
        place.chmod(mode & ~0o222)
    try:
        with _like_everybody():
            yield
    finally:
        for place, mode in rights.items():
            place.chmod(mode)


@contextmanager
def _like_everybody() -> Iterator[None]:
    """Rights of files hold for this thread, whoever it runs as."""
    if not sys.platform.startswith("linux") or os.geteuid():
        yield
        return
    header, rights = _Header(_VERSION, 0), (_Rights * 2)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(ctypes.byref(header), rights) == 0
    before = rights[0].effective
    rights[0].effective = before & ~_OVERRIDING
    assert libc.capset(ctypes.byref(header), rights) == 0
    try:
        yield
    finally:
        rights[0].effective = before
        assert libc.capset(ctypes.byref(header), rights) == 0
