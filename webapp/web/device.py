"""What a browser says it is, in the few words by which its owner knows it."""

from __future__ import annotations

from flask import request

_BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
_SYSTEMS = (("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"))


def device() -> str | None:
    """Return browser and system, such as `Firefox, Windows`; None when neither is known."""
    said = request.headers.get("User-Agent", "")
    systems = (*_SYSTEMS, ("Linux", "Linux"))
    names = [next((name for mark, name in known if mark in said), "") for known in (_BROWSERS, systems)]
    return ", ".join(filter(None, names)) or None
