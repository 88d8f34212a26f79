"""What editors read about strategies and their options, in their language.

The registry says it in English; the lists below hold the same words so that translators meet them. A test holds them
against the registry; a part that is missing here is shown in English.
"""

from __future__ import annotations

from flask_babel import lazy_gettext as _

from webapp.core.evaluation.compare import Setting
from webapp.web.i18n import gettext, number

NAMES = (_("fixed"), _("paragraph"), _("section"), _("sentence"), _("structure"), _("tokens"), _("words"))

DESCRIPTIONS = (
    _("Windows of so many characters, wherever they fall"),
    _("Paragraphs: each block between blank lines"),
    _("Whole sections, with the smaller headings inside them"),
    _("Whole sentences, packed while they fit"),
    _("By headings, then blocks, then sentences, up to a size"),
    _("Windows of so many model tokens, estimated"),
    _("Windows of so many words"),
    _("Characters in a window"),
    _("Characters that a window shares with the one before"),
    _("Model tokens in a window, estimated"),
    _("Model tokens that a window shares with the one before"),
    _("Words in a window"),
    _("Words that a window shares with the one before"),
    _("Characters that sentences are packed into; a longer one stays whole"),
    _("Words that a chunk may hold"),
)

OPTIONS = {"size": _("Size"), "overlap": _("Overlap"), "max_chars": _("Most characters")}


def strategy_name(strategy: str) -> str:
    """Return a strategy's name in the reader's language."""
    return gettext(strategy) if strategy else ""


def description(english: str) -> str:
    """Return the description of a strategy or an option in the reader's language."""
    return gettext(english) if english else ""


def option_name(option: str) -> str:
    """Return an option's name in the reader's language."""
    return str(OPTIONS.get(option) or option.replace("_", " ").capitalize())


def label(setting: Setting) -> str:
    """Return a setting's short name, such as `fixed 100/20`, in the reader's language and digits."""
    options = "/".join(number(str(value)) for value in setting.options.values())
    return f"{strategy_name(setting.strategy)} {options}".strip()
