"""Whatever is sent to the API, right or wrong, the reply is one that its OpenAPI document describes, and never a
mistake of ours."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.generation import GenerationMode

from tests.conftest import Desks
from webapp.pages.api.openapi import document

OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]
EXAMPLES = settings(
    max_examples=30,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def described(shared_desks: Desks) -> schemathesis.BaseSchema:
    """The API as it describes itself, with the application that answers behind it."""
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", shared_desks.app, config=SchemathesisConfig())


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_reply_is_one_that_is_described(
    described: schemathesis.BaseSchema, path: str, method: str, mode: GenerationMode
) -> None:
    operation = described[path][method]

    @EXAMPLES
    @given(case=operation.as_strategy(generation_mode=mode))
    def replies(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate()

    replies()
