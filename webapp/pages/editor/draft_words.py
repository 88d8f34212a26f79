"""What editors read about drafts: why one can't be kept, and what was found when one was looked over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.documents.errors import DocumentError
from webapp.core.documents.lint import LONG, SHORT, Finding, LintCode
from webapp.pages.customer.addresses import source_url
from webapp.pages.customer.wording import language_name
from webapp.services.drafts import MOST_LINES, DraftError, DraftProblem
from webapp.web.context import services
from webapp.web.i18n import gettext as _
from webapp.web.i18n import number

PATH_PROBLEMS = frozenset(
    {
        DraftProblem.NO_PATH,
        DraftProblem.BAD_PATH,
        DraftProblem.OUTSIDE,
        DraftProblem.LINK,
        DraftProblem.NO_MARKDOWN,
        DraftProblem.IS_FOLDER,
        DraftProblem.TAKEN,
    }
)


_EXAMPLE = "returns.md"
_CODES = {  # what is to be written into a head, the same in every language
    LintCode.NO_STATUS: "status: current",
    LintCode.NOT_CURRENT: "status: current",
    LintCode.NO_SUCCESSOR: "superseded_by",
    LintCode.UNKNOWN_AUDIENCE: "public",
    LintCode.OTHER_LANGUAGE: "lang",
}
_WORDS: Mapping[LintCode, tuple[LazyString, LazyString]] = {
    LintCode.UNREADABLE: (
        _l("It can't be read: %(problem)s."),
        _l("Mend it: it can't be published like this."),
    ),
    LintCode.NO_STATUS: (
        _l("The head names no status."),
        _l("It counts as current. Write %(code)s to say so."),
    ),
    LintCode.NOT_CURRENT: (
        _l("Its status is “%(status)s”, so no answer is taken from it."),
        _l("Write %(code)s if it is to be answered from."),
    ),
    LintCode.NO_TITLE: (
        _l("The head names no title; it will be called “%(title)s”."),
        _l("Write a title: readers see it beside every answer."),
    ),
    LintCode.NO_TEXT: (
        _l("There is no text below the headings."),
        _l("Write what is to be answered from it."),
    ),
    LintCode.OVER: (
        _l("It was valid until %(date)s, so no answer is taken from it."),
        _l("Give a later date, or none."),
    ),
    LintCode.NO_SUCCESSOR: (
        _l("It is superseded, but names no successor."),
        _l("Write %(code)s and the id of the page that counts now."),
    ),
    LintCode.UNKNOWN_SUCCESSOR: (
        _l("There is no page with the id “%(id)s”."),
        _l("Name one that there is as the successor."),
    ),
    LintCode.UNKNOWN_AUDIENCE: (
        _l("“%(groups)s” is no group of this collection, so nobody will see the page."),
        _l("Use %(code)s, or one of the groups of collection.toml."),
    ),
    LintCode.OTHER_LANGUAGE: (
        _l("%(lang)s is not a language of this collection."),
        _l("Correct %(code)s in the head, or add the language to collection.toml."),
    ),
    LintCode.SAME_ID: (
        _l("The id “%(id)s” is already that of %(path)s."),
        _l("Give it an id of its own: it can't be published like this."),
    ),
    LintCode.TAKEN_ID: (
        _l("The id “%(id)s” is taken."),
        _l("Give it an id of its own: it can't be published like this."),
    ),
    LintCode.BROKEN_LINK: (
        _l("The link to “%(address)s” leads to no file of the collection."),
        _l("Correct the address, or take the link out."),
    ),
    LintCode.BROKEN_ANCHOR: (
        _l("The link to “%(address)s” names a heading that is not there."),
        _l("Correct what stands after #, or link to the page alone."),
    ),
    LintCode.LONG_SECTION: (
        _l("The section “%(heading)s” has %(length)s characters."),
        _l("Divide it by headings: more than %(most)s characters are hard to answer from."),
    ),
    LintCode.SHORT_SECTION: (
        _l("The section “%(heading)s” has only %(length)s characters."),
        _l("Say a whole sentence: fewer than %(least)s characters answer nothing."),
    ),
    LintCode.REPEATS: (
        _l("This paragraph stands in another page too, at line %(other_line)s."),
        _l("Keep it in one place and link to it: copies come to differ."),
    ),
    LintCode.DISAGREES: (
        _l("“%(sentence)s” – another page says: “%(other)s”"),
        _l("Correct one of them: a question that meets both gets no answer."),
    ),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding in words: what was found, what to do, and the page that it is about, if another one."""

    line: int
    words: str
    advice: str
    stops: bool
    url: str = ""
    title: str = ""


def problem_words(problem: DraftError | DocumentError) -> str:
    """Say why a draft can't be kept as it is."""
    if isinstance(problem, DraftError):
        return _code_words(problem.code)
    if problem.line:
        return _("Line %(line)s: %(problem)s.", line=number(problem.line), problem=problem)
    return _("This can't be used: %(problem)s.", problem=problem)


def limit_words() -> str:
    """Say how large a page may be, before anybody has written or sent one."""
    most = services().settings.upload_max_bytes
    return _(
        "A page may have at most %(bytes)s bytes and %(lines)s lines.", bytes=number(most), lines=number(MOST_LINES)
    )


def _code_words(code: DraftProblem) -> str:
    most = services().settings.upload_max_bytes
    return {
        DraftProblem.EMPTY: _("There is no text. Write a sentence, or choose another file."),
        DraftProblem.BINARY: _("This is not a text. Save it as Markdown in UTF-8 and try again."),
        DraftProblem.TOO_LARGE: _("A page may have at most %(most)s bytes. Divide it into several.", most=number(most)),
        DraftProblem.TOO_MANY_LINES: _(
            "A page may have at most %(most)s lines. Divide it into several.", most=number(MOST_LINES)
        ),
        DraftProblem.NO_PATH: _("Give the file a name, such as %(example)s.", example=_EXAMPLE),
        DraftProblem.BAD_PATH: _(
            "This can't be a file's name. Use letters, digits and hyphens, such as %(example)s.", example=_EXAMPLE
        ),
        DraftProblem.OUTSIDE: _(
            "The file must lie inside the collection's folder: give a name without .. and / before it."
        ),
        DraftProblem.LINK: _("A link leads to another place there. Name the file itself."),
        DraftProblem.NO_MARKDOWN: _("The name must end in .md."),
        DraftProblem.IS_FOLDER: _("There is a folder of this name. Choose another name."),
        DraftProblem.TAKEN: _("There is a page of this name. Choose another name, or edit that page."),
        DraftProblem.NO_PAGE: _("There is no such page; choose one from the list."),
        DraftProblem.GONE: _("This draft is no longer there: it was discarded, or published."),
        DraftProblem.EDITED: _("The draft was edited after this was asked for; ask once more."),
    }[code]


def shown(finding: Finding, collection: str) -> Shown:
    """Return a finding in the reader's words."""
    words, advice = _finding_words(finding)
    about = finding.details.get("id", "") if finding.code in (LintCode.REPEATS, LintCode.DISAGREES) else ""
    line = finding.details.get("other_line", "")
    url = f"{source_url(collection, about, lines=line)}#L{line}" if about else ""
    return Shown(finding.line, words, advice, finding.stops, url, finding.details.get("title", "") if about else "")


def _finding_words(finding: Finding) -> tuple[str, str]:
    """Say what was found, and what to do about it."""
    said = dict(finding.details)
    said |= {name: number(said[name]) for name in ("length", "other_line") if name in said}
    said |= {"most": number(LONG), "least": number(SHORT), "code": _CODES.get(finding.code, "")}
    said |= {"lang": language_name(said["lang"])} if "lang" in said else {}
    words, advice = _WORDS[finding.code]
    return str(words) % said, str(advice) % said
