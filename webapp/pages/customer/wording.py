"""Reasons, statuses and cautions in the reader's words; readers never see a code."""

from __future__ import annotations

from babel import Locale, UnknownLocaleError

from webapp.core.answering.model import Answer, Caution, Reason
from webapp.core.documents.model import Status
from webapp.web.i18n import current_language, gettext, ngettext


def why_words(answer: Answer, pages: int) -> str:
    """Say why an answer abstains; `pages` is how many pages one could have come from."""
    if answer.leans:
        return gettext(
            "this seems to follow on from another question, and we cannot tell which. "
            "Please ask it in full: name the thing that you mean."
        )
    return reason_words(answer.reason, pages)


def reason_words(reason: Reason, pages: int) -> str:
    """Say why there is no answer; `pages` is how many pages one could have come from."""
    match reason:
        case Reason.NO_EVIDENCE:
            words = ngettext(
                "our %(count)s current page does not deal with this.",
                "none of our %(count)s current pages deals with this.",
                pages,
            )
        case Reason.WEAK_EVIDENCE:
            words = gettext("our pages touch on this, but do not answer it clearly enough.")
        case Reason.MODEL_ABSTAINED:
            words = gettext("the passages we found do not answer this question.")
        case Reason.CONFLICTING_SOURCES:
            words = gettext("our pages contradict each other on this.")
        case Reason.TRUNCATED | Reason.INVALID_JSON | Reason.INVALID_SCHEMA:
            words = gettext("the answer came back incomplete, so we do not show it. Asking again may help.")
        case Reason.MODEL_UNAVAILABLE:
            words = gettext("the service that words our answers cannot be reached. Please try again in a few minutes.")
        case _:
            words = gettext("we could not confirm an answer word for word in our pages, so we do not show one.")
    return words


def caution_words(caution: Caution, answer: Answer) -> str:
    """Say what a reader must know before reading an answer."""
    if caution is Caution.OTHER_LANGUAGE:
        languages = dict.fromkeys(citation.lang for citation in answer.citations if citation.lang != answer.lang)
        names = ", ".join(language_name(lang) for lang in languages)
        return gettext("Our pages say this in another language: %(languages)s.", languages=names)
    if caution is Caution.DISAGREEING:
        return gettext("Our pages do not agree on this. Here is what each of them says; please ask us which one holds.")
    return gettext("We are not sure that this answers your question: please check the sources below.")


def status_words(status: Status) -> str:
    """Name a document's status."""
    return {
        Status.CURRENT: gettext("current"),
        Status.DRAFT: gettext("draft"),
        Status.SUPERSEDED: gettext("superseded"),
        Status.ARCHIVED: gettext("archived"),
        Status.WITHDRAWN: gettext("withdrawn"),
    }[status]


def vote_reasons() -> tuple[tuple[str, str], ...]:
    """Return what may be wrong with an answer: codes, and readers' words."""
    return (
        ("wrong", gettext("It is wrong")),
        ("outdated", gettext("It is out of date")),
        ("incomplete", gettext("Something is missing")),
        ("not_mine", gettext("It answers another question")),
        ("other", gettext("Something else")),
    )


def language_name(lang: str) -> str:
    """Name a language in the reader's own; its code when nobody knows it."""
    try:
        return Locale.parse(lang).get_display_name(current_language()) or lang
    except (ValueError, UnknownLocaleError):
        return lang
