"""The model that writes answers, made from the settings."""

from __future__ import annotations

from functools import lru_cache

from pydantic import ValidationError

from webapp.core.answering.model import Model
from webapp.core.answering.models.base import Served, models
from webapp.core.registry import UnknownPart
from webapp.core.remote import unreachable
from webapp.settings import PREFIX, Settings, SettingsError

_SETTINGS = {  # option of a model → the setting that it is taken from
    "base_url": "model_base_url",
    "api_key": "model_api_key",
    "model": "model_name",
    "timeout": "model_timeout",
}


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
        raise SettingsError(_complaint(name or settings.model, error)) from error


def server_problem(settings: Settings) -> str:
    """Return why the model's server can't be reached now, "" when it can, or none is needed. Raises SettingsError."""
    model = model_client(settings)
    problem = unreachable(model.address) if isinstance(model, Served) else ""
    return f"{problem}; start it, or correct {PREFIX}MODEL_BASE_URL" if problem else ""


def _complaint(model: str, error: ValidationError) -> str:
    first = error.errors()[0]
    option = ".".join(map(str, first["loc"]))
    setting = f"{PREFIX}{_SETTINGS[option].upper()}" if option in _SETTINGS else f"model {model}: {option}"
    return f"{setting}: {first['msg']}"


def _given(settings: Settings) -> dict[str, object]:
    given = {option: getattr(settings, name) for option, name in _SETTINGS.items()}
    return given | {"api_key": settings.model_api_key.get_secret_value()}
