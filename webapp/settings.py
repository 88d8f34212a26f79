"""All that can be set, once: EVIDENCEDESK_<NAME> in the environment, or EVIDENCEDESK_<NAME>_FILE for secrets."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from webapp.paths import shared

PREFIX = "EVIDENCEDESK_"
SECRETS = (
    "secret_key",
    "model_api_key",
    "database_url",
    "index_url",
    "index_replica_url",
    "refresh_token",
    "oidc_client_secret",
)
_KEY_FILE = "secret_key"
_MOST_MONEY = 1_000_000


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


Level = Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"], BeforeValidator(_upper)]
Names = Annotated[tuple[str, ...], NoDecode]


class SettingsError(ValueError):
    """A setting can't be used; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs: money for a million tokens that are sent to it, and for a million that it writes."""

    sent: Decimal
    written: Decimal

    def nanos(self, tokens_in: int, tokens_out: int) -> int:
        """Return what so many tokens cost, in billionths of the currency's unit, rounded up."""
        return int((1000 * (tokens_in * self.sent + tokens_out * self.written)).to_integral_value("ROUND_CEILING"))


class Settings(BaseSettings):
    """The settings of one installation."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    instance: Path = Field(
        Path("instance"), description="Folder for all the program writes: database, indexes, secrets"
    )
    corpus: Path = Field(
        default_factory=lambda: shared("corpus"), description="Folder whose subfolders are collections"
    )
    collection: str = Field("kestrel", description="Collection at `/`: a folder of the corpus, or any folder's path")
    host: str = Field("127.0.0.1", description="Address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 lets the system choose")
    workers: int = Field(
        1, ge=1, le=64, description="Processes that serve: as many as there are cores. Each has its own model in memory"
    )
    threads: int = Field(
        8,
        ge=1,
        le=256,
        description="Pages that one process works on at the same time, and three quarters as many questions",
    )
    queue: int = Field(
        24,
        ge=0,
        le=1000,
        description="Questions that wait in one process for their turn, and pages likewise; more are refused with 503",
    )
    queue_seconds: float = Field(
        0.25,
        gt=0,
        le=60,
        description="Who has waited so long is refused too; four times as long where nobody waited a second before",
    )
    request_seconds: int = Field(60, ge=1, description="A worker that is silent for so long is started afresh")
    database_url: SecretStr = Field(
        SecretStr(""), description="SQLAlchemy address of the database; default: SQLite in the instance folder"
    )
    engine: str = Field("local", description="Registered engine that keeps the indexes: local, or postgres")
    index_url: SecretStr = Field(
        SecretStr(""), description="PostgreSQL address for the engine postgres; default: that of the database"
    )
    index_replica_url: SecretStr = Field(
        SecretStr(""), description="PostgreSQL address of a read replica that searches go to; none: to the primary"
    )
    secret_key: SecretStr = Field(
        SecretStr(""), description="Signs cookies; made on first start and kept in the instance folder when empty"
    )
    behind_tls: bool = Field(False, description="Readers come by https: cookies are marked Secure")
    trusted_proxies: int = Field(0, ge=0, le=8, description="Reverse proxies in front whose X-Forwarded headers count")
    languages: Names = Field(("en", "bn"), description="Languages of the interface, the first is the fallback")
    model: str = Field("extractive", description="Registered model that writes answers")
    model_base_url: str = Field("", description="Address of the model server's API")
    model_api_key: SecretStr = Field(SecretStr(""), description="Key for the model server")
    model_name: str = Field("", description="The model's name at that server")
    model_timeout: float = Field(30.0, gt=0, description="Seconds to wait for the model server")
    model_prices: Names = Field(
        (),
        description="Money for a million tokens sent and received, by model name: `gpt-5-mini=0.25/2,*=1/1`; "
        "`*` stands for every other one",
    )
    currency: str = Field("USD", description="What prices and caps are in")
    daily_cap: Names = Field(
        (),
        description="Money that a collection's model may cost a day (UTC): `5`, or `kestrel=5,*=1`; none: no limit",
    )
    after_cap: Literal["extractive", "unavailable"] = Field(
        "extractive", description="What answers for the rest of that day: the extractive model, or nobody"
    )
    refresh_token: SecretStr = Field(
        SecretStr(""),
        description="Whoever sends it may ask for new indexes (POST /api/v1/collections/NAME/refresh); none: nobody",
    )
    oidc_issuer: str = Field(
        "", description="Address of the organisation's sign-in (OpenID Connect); none: passwords alone"
    )
    oidc_client_id: str = Field("", description="This installation's name there")
    oidc_client_secret: SecretStr = Field(SecretStr(""), description="Its secret there")
    oidc_groups_claim: str = Field("groups", description="Claim of the ID token that names a person's groups")
    proxy_user_header: str = Field(
        "",
        description="Header in which a reverse proxy names who is signed in, by e-mail address; none: no proxy does",
    )
    proxy_groups_header: str = Field("", description="Header in which it names their groups, with commas between")
    proxy_peers: Names = Field(
        (),
        description="Addresses or networks of the proxies whose headers are believed; others' are ignored",
    )
    sso_roles: Names = Field(
        (),
        description="Roles by groups of the organisation, such as `agent=help-desk,admin=it`; the highest one counts",
    )
    answer_cache: int = Field(
        1000,
        ge=0,
        description="Answers that each process remembers, so that the same question asked again is not worked out "
        "again; it is kept as an answer of its own all the same. So are meanings of questions, which outlive "
        "a change of the documents. 0: none",
    )
    k: int = Field(3, ge=1, le=20, description="Chunks the model is given at least, as evidence")
    body_max_bytes: int = Field(1_000_000, ge=1000, description="Larger request bodies are refused before reading")
    upload_max_bytes: int = Field(
        5_000_000, ge=1000, description="Larger drafts are refused, as are those of more than 50,000 lines"
    )
    ask_rate: str = Field(
        "30 per minute", description="Questions that one address may ask; this machine itself is free"
    )
    vote_rate: str = Field("30 per minute", description="Votes on answers that one address may cast")
    sign_in_rate: str = Field("10 per minute", description="Sign-in attempts that one address may make")
    rate_storage: str = Field(
        "database://",
        description="Where rates are counted: the database, for all processes together; `memory://`: in each alone",
    )
    retention_days: int = Field(180, ge=0, description="Answers are erased after so many days; 0 keeps them for good")
    session_hours: int = Field(12, ge=1, description="A sign-in lasts so long without use")
    link_hours: int = Field(24, ge=1, description="A one-time sign-in link is good for so long")
    lockout_attempts: int = Field(5, ge=1, description="Wrong passwords before an account is locked")
    lockout_minutes: int = Field(15, ge=1, description="How long it stays locked")
    log_level: Level = Field("INFO", description="Least severity that is logged")
    log_format: Literal["text", "json"] = Field(
        "text", description="json: one object a line, also one for each request, with the request's id"
    )

    @model_validator(mode="before")
    @classmethod
    def _secrets_from_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        for name in SECRETS:
            file = os.environ.get(f"{PREFIX}{name.upper()}_FILE")
            if file and not values.get(name):
                values[name] = _read_secret(name, Path(file))
        return values

    @field_validator("languages", "proxy_peers", "sso_roles", "model_prices", "daily_cap", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("proxy_peers")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for peer in value:
            ip_network(peer)  # its message says what is wrong
        return value

    @field_validator("sso_roles")
    @classmethod
    def _name_roles(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pair in value:
            role, equals, group = pair.partition("=")
            if role not in ("agent", "editor", "admin") or not equals or not group:
                raise ValueError(f"{pair!r} gives no role to a group; write agent=GROUP, editor=GROUP or admin=GROUP")
        return value

    @field_validator("model_prices")
    @classmethod
    def _are_prices(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        _prices(value)
        return value

    @field_validator("daily_cap")
    @classmethod
    def _are_caps(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        _caps(value)
        return value

    def price(self, model: str) -> Price | None:
        """Return what a model costs; None when nobody has said so."""
        prices = _prices(self.model_prices)
        return prices.get(model) or prices.get("*")

    def cap(self, collection: str) -> Decimal | None:
        """Return the money that a collection's model may cost a day; None: as much as it does."""
        caps = _caps(self.daily_cap)
        return caps.get(collection, caps.get("*"))

    @property
    def database(self) -> str:
        """The database's SQLAlchemy address."""
        return self.database_url.get_secret_value() or f"sqlite:///{self.instance.resolve() / 'evidencedesk.db'}"

    @property
    def index_database(self) -> str:
        """The address of the engine's database, "" when the settings name none."""
        own = self.index_url.get_secret_value()
        shared = self.database_url.get_secret_value()
        return own or (shared if shared.startswith("postgresql") else "")

    def signing_key(self) -> str:
        """Return the secret key, making one in the instance folder on first use (readable by the owner alone)."""
        return self.secret_key.get_secret_value() or _kept_key(self.instance / _KEY_FILE)


def read_settings(**given: Any) -> Settings:
    """Return the settings of the environment, `given` ones first (None: not given). Raises SettingsError."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = f"{PREFIX}{'_'.join(str(part) for part in first['loc']).upper()}"
        raise SettingsError(f"{name}: {first['msg']}") from error


def _prices(pairs: tuple[str, ...]) -> Mapping[str, Price]:
    return {name: Price(_money(sent, pair), _money(got, pair)) for name, sent, got, pair in map(_price_parts, pairs)}


def _price_parts(pair: str) -> tuple[str, str, str, str]:
    """Split `model=sent/received`. Model names hold all signs; a price holds neither of these two."""
    name, _, price = pair.rpartition("=")
    sent, slash, got = price.partition("/")
    if not name or not slash:
        raise ValueError(f"{pair!r} gives no price to a model; write MODEL=SENT/RECEIVED, such as gpt-5-mini=0.25/2")
    return name.strip(), sent, got, pair


def _caps(pairs: tuple[str, ...]) -> Mapping[str, Decimal]:
    parts = ((pair.rpartition("="), pair) for pair in pairs)
    return {name.strip() or "*": _money(money, pair) for (name, _, money), pair in parts}


def _money(text: str, where: str) -> Decimal:
    try:
        money = Decimal(text.strip())
    except InvalidOperation:
        money = Decimal(-1)
    if not money.is_finite() or not 0 <= money <= _MOST_MONEY:
        raise ValueError(f"{where!r} has no amount of money from 0 to {_MOST_MONEY:,} where one belongs")
    return money


def _read_secret(name: str, file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingsError(f"{PREFIX}{name.upper()}_FILE: can't read {file} ({error.strerror})") from error


def _kept_key(file: Path) -> str:
    """Read the key; make it when there is none. Processes that start together end up with the same one."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, encoding="ascii") as stream:  # made with mode 0600
            stream.write(secrets.token_hex(32))
            stream.flush()
            with contextlib.suppress(FileExistsError):
                os.link(stream.name, file)
    return file.read_text(encoding="ascii")
