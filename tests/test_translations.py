"""Every word of the interface has a translation, and no word of a template goes without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po
from jinja2 import Environment, nodes

ROOT = Path(__file__).parent.parent
CATALOGUES = sorted(ROOT.glob("webapp/translations/*/LC_MESSAGES/messages.po"))
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
KEYWORDS = {**DEFAULT_KEYWORDS, "_l": None, "lazy_gettext": None}
PLACES = re.compile(r"%\((\w+)\)s")

# What of a template's own text readers see: the words between tags and in these attributes.
TAG = re.compile(r"<[^>]*>|[\w-]+=\"[^\"]*\"", re.DOTALL)  # an attribute outside a tag stands in a macro
SPOKEN = re.compile(r"(?:aria-label|alt|title|placeholder)=\"([^\"]*)\"")
NAMES = {"EvidenceDesk", "JSON", "UTC"}  # the same in every language


def template_texts() -> Catalog:
    """The messages of code and templates."""
    with (ROOT / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    found = Catalog()
    for folder in ("webapp", "templates"):
        here = [(pattern.removeprefix(f"{folder}/"), method) for pattern, method in methods]
        for _, _, message, _, context in extract_from_dir(ROOT / folder, here, _options(options, folder), KEYWORDS):
            found.add(message, context=context)
    return found


def _options(options: dict[str, dict[str, str]], folder: str) -> dict[str, dict[str, str]]:
    return {pattern.removeprefix(f"{folder}/"): value for pattern, value in options.items()}


@pytest.fixture(scope="module")
def wanted() -> Catalog:
    return template_texts()


@pytest.fixture(params=CATALOGUES, ids=lambda path: path.parts[-3])
def catalogue(request: pytest.FixtureRequest) -> Catalog:
    return read_po(BytesIO(request.param.read_bytes()), locale=request.param.parts[-3])


def test_bangla_has_a_catalogue() -> None:
    assert [path.parts[-3] for path in CATALOGUES] == ["bn"]


def test_every_message_is_translated(catalogue: Catalog, wanted: Catalog) -> None:
    untranslated = [message.id for message in wanted if message.id and not _words(catalogue.get(message.id))]
    assert untranslated == [], "add these to webapp/translations"


def test_no_translation_is_fuzzy_or_of_a_message_that_is_gone(catalogue: Catalog, wanted: Catalog) -> None:
    assert [message.id for message in catalogue if message.id and message.fuzzy] == []
    assert [message.id for message in catalogue if message.id and wanted.get(message.id) is None] == []


def test_translations_keep_the_places_of_their_values(catalogue: Catalog) -> None:
    for message in catalogue:
        if message.id:
            ids = message.id if isinstance(message.id, str) else "".join(message.id)
            for words in _words(message):
                assert set(PLACES.findall(words)) <= set(PLACES.findall(ids)), words
                assert not re.search(r"[A-Za-z]{3,}", PLACES.sub("", _without_names(words))), words


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_word_of_a_template_is_wrapped(template: Path) -> None:
    shown = "".join(_data(template.read_text(encoding="utf-8")))
    spoken = " ".join(SPOKEN.findall(shown))
    words = re.findall(r"[^\W\d_]{2,}", TAG.sub(" ", shown) + " " + spoken)
    assert [word for word in words if word not in NAMES] == []


def _data(source: str) -> Iterator[str]:
    """The template's own text, with a blank for each expression; block `width` is a class and not read."""
    tree = Environment(autoescape=True).parse(source)
    unread = {output for block in tree.find_all(nodes.Block) if block.name == "width" for output in block.body}
    for output in tree.find_all(nodes.Output):
        for node in output.nodes if output not in unread else ():
            yield node.data if isinstance(node, nodes.TemplateData) else "\N{NO-BREAK SPACE}"


def _words(message: Message | None) -> list[str]:
    if message is None:
        return []
    words = message.string if isinstance(message.string, tuple) else (message.string,)
    return [str(one) for one in words] if all(words) else []


def _without_names(words: str) -> str:
    return re.sub(
        r"CSV|JSON|UTC|UTF-8|collection\.toml|Content-Type application/json|name@example\.org|https://shop\.example",
        "",
        words,
    )
