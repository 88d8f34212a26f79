"""The model that writes answers, made from the settings."""

from __future__ import annotations

from functools import lru_cache

from pydantic import ValidationError

from webapp.core.answering.model import Model
from webapp.core.answering.models.base import models
from webapp.core.registry import UnknownPart
from webapp.settings import Settings, SettingsError


@lru_cache(maxsize=8)
def model_client(settings: Settings, name: str | None = None) -> Model:
    """Return the process's one model of that name (None: the settings' own). Raises SettingsError."""
    try:
        part = models.get(name or settings.model)
        given = {key: value for key, value in _given(settings).items() if key in part.options.model_fields and value}
        return part.make(part.parse(given))
    except UnknownPart as error:
        raise SettingsError(str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = "_".join(str(part) for part in first["loc"])
        raise SettingsError(f"model {name or settings.model}: {field}: {first['msg']}") from error


def _given(settings: Settings) -> dict[str, object]:
    return {
        "base_url": settings.model_base_url,
        "api_key": settings.model_api_key.get_secret_value(),
        "model": settings.model_name,
        "timeout": settings.model_timeout,
    }
