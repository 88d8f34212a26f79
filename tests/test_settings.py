from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from webapp.settings import PREFIX, Price, Settings, SettingsError, read_settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)
        monkeypatch.delenv(f"{PREFIX}{name.upper()}_FILE", raising=False)


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_the_environment_sets_and_what_is_given_goes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_PORT", "8001")
    monkeypatch.setenv("EVIDENCEDESK_LANGUAGES", "bn, en")
    assert read_settings().port == 8001
    assert read_settings(port=8002, host=None).port == 8002
    assert read_settings().languages == ("bn", "en")


def test_a_log_level_may_be_in_small_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_LOG_LEVEL", "debug")
    assert read_settings().log_level == "DEBUG"


def test_an_empty_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_PORT", "")
    assert read_settings().port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("K", "0"),
        ("RETENTION_DAYS", "-1"),
        ("BEHIND_TLS", "x"),
        ("LOG_LEVEL", "loud"),
        ("MODEL_PRICES", "gpt-5-mini"),
        ("MODEL_PRICES", "gpt-5-mini=1"),
        ("MODEL_PRICES", "gpt-5-mini=1/-1"),
        ("MODEL_PRICES", "gpt-5-mini=1/NaN"),
        ("DAILY_CAP", "much"),
        ("DAILY_CAP", "kestrel=-1"),
        ("AFTER_CAP", "panic"),
    ],
)
def test_a_value_that_can_not_be_used_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"EVIDENCEDESK_{name}", value)
    with pytest.raises(SettingsError, match=f"^EVIDENCEDESK_{name}: "):
        read_settings()


def test_prices_are_by_model_and_caps_by_collection_with_one_for_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIDENCEDESK_MODEL_PRICES", "vendor/model:8b=0.25/2, *=1/1.5")
    monkeypatch.setenv("EVIDENCEDESK_DAILY_CAP", "kestrel=5,0.5")
    settings = read_settings()
    assert settings.price("vendor/model:8b") == Price(Decimal("0.25"), Decimal(2))
    assert settings.price("other") == Price(Decimal(1), Decimal("1.5"))
    assert (settings.cap("kestrel"), settings.cap("other")) == (Decimal(5), Decimal("0.5"))
    assert read_settings(model_prices=(), daily_cap=()).price("other") is None
    assert read_settings(daily_cap=("kestrel=5",)).cap("other") is None


def test_money_is_rounded_up_by_the_billionth() -> None:
    assert Price(Decimal("0.25"), Decimal(2)).nanos(1_000_000, 1_000_000) == 2_250_000_000
    assert Price(Decimal("0.0001"), Decimal(0)).nanos(1, 0) == 1


def test_a_secret_can_stand_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from the file\n", encoding="utf-8")
    monkeypatch.setenv("EVIDENCEDESK_MODEL_API_KEY_FILE", str(tmp_path / "key"))
    settings = read_settings()
    assert settings.model_api_key.get_secret_value() == "from the file"
    assert "from the file" not in repr(settings)
    monkeypatch.setenv("EVIDENCEDESK_MODEL_API_KEY", "directly")
    assert read_settings().model_api_key.get_secret_value() == "directly"


def test_a_secrets_file_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVIDENCEDESK_SECRET_KEY_FILE", str(tmp_path / "nothing"))
    with pytest.raises(SettingsError, match=r"EVIDENCEDESK_SECRET_KEY_FILE: can't read .*nothing"):
        read_settings()


def test_a_key_is_made_once_for_the_owner_alone(tmp_path: Path) -> None:
    settings = read_settings(instance=tmp_path / "new" / "instance")
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: settings.signing_key(), range(16)))
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    files = list(settings.instance.iterdir())
    assert [file.name for file in files] == ["secret_key"]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600


def test_a_given_key_is_used_and_not_written(tmp_path: Path) -> None:
    assert read_settings(instance=tmp_path, secret_key="mine").signing_key() == "mine"
    assert list(tmp_path.iterdir()) == []


def test_the_database_is_in_the_instance_folder_unless_said_otherwise(tmp_path: Path) -> None:
    assert read_settings(instance=tmp_path).database == f"sqlite:///{tmp_path.resolve()}/evidencedesk.db"
    assert read_settings(database_url="postgresql://x/y").database == "postgresql://x/y"
