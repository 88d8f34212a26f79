"""Signing in with the organisation's own accounts: OpenID Connect, authorization code with PKCE."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from webapp.services.accounts import Identity
from webapp.settings import Settings

ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]  # signatures of the provider alone: none that our secret could make
_TIMEOUT = 10.0
_KEPT = 3600.0  # seconds that the provider's addresses are kept
_LEEWAY = 60  # seconds that two clocks may differ


class SignInFailed(Exception):
    """The organisation's sign-in can't be reached, or what it says can't be believed; the message is for the log."""


@dataclass(frozen=True, slots=True)
class Journey:
    """What a browser keeps while it is away at the provider."""

    state: str
    nonce: str
    verifier: str

    @classmethod
    def begin(cls) -> Journey:
        """Return values that nobody can guess."""
        return cls(secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48))


class Provider:
    """The organisation's sign-in."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._metadata: tuple[float, dict[str, Any]] = (0.0, {})

    def address(self, journey: Journey, back: str) -> str:
        """Return where to send a browser that is to come `back`. Raises SignInFailed."""
        try:
            with self._client(back) as client:
                place = str(self._known()["authorization_endpoint"])
                url, _ = client.create_authorization_url(
                    place, state=journey.state, nonce=journey.nonce, code_verifier=journey.verifier
                )
        except (httpx2.HTTPError, KeyError, ValueError) as error:
            raise SignInFailed(str(error)) from error
        return str(url)

    def identity(self, journey: Journey, code: str, back: str) -> Identity:
        """Return who came `back` with that code. Raises SignInFailed."""
        try:
            known = self._known()
            with self._client(back) as client:
                given = client.fetch_token(known["token_endpoint"], code=code, code_verifier=journey.verifier)
                keys = httpx2.get(known["jwks_uri"], timeout=_TIMEOUT).raise_for_status().json()
            return self._read(str(given["id_token"]), keys, journey.nonce)
        except (httpx2.HTTPError, AuthlibBaseError, JoseError, KeyError, ValueError) as error:
            raise SignInFailed(f"{type(error).__name__}: {error}") from error

    def _read(self, token: str, keys: Any, nonce: str) -> Identity:
        issuer, name = self._settings.oidc_issuer, self._settings.oidc_client_id
        claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS).claims
        jwt.JWTClaimsRegistry(
            leeway=_LEEWAY,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": name},
            sub={"essential": True},
            exp={"essential": True},
            nonce={"essential": True, "value": nonce},
        ).validate(claims)
        if claims.get("azp", name) != name:
            raise ValueError("the token was made for another client")
        return Identity(
            email=str(claims["email"]),
            subject=f"{issuer} {claims['sub']}",
            verified=claims.get("email_verified") is True,
            groups=_groups(claims.get(self._settings.oidc_groups_claim)),
        )

    def _known(self) -> dict[str, Any]:
        """The provider's addresses, as it publishes them."""
        at, known = self._metadata
        if not known or time.monotonic() - at > _KEPT:
            issuer = self._settings.oidc_issuer
            place = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
            known = httpx2.get(place, timeout=_TIMEOUT).raise_for_status().json()
            if known.get("issuer") != issuer:
                raise ValueError(
                    f"the provider calls itself {known.get('issuer')!r}; set EVIDENCEDESK_OIDC_ISSUER to that"
                )
            self._metadata = (time.monotonic(), known)
        return known

    def _client(self, back: str) -> OAuth2Client:
        return OAuth2Client(
            client_id=self._settings.oidc_client_id,
            client_secret=self._settings.oidc_client_secret.get_secret_value() or None,
            scope="openid email profile",
            redirect_uri=back,
            code_challenge_method="S256",
            timeout=_TIMEOUT,
        )


def _groups(claim: object) -> frozenset[str] | None:
    """What is no list of names tells nothing."""
    if isinstance(claim, str):
        claim = [claim]
    return frozenset(str(one) for one in claim) if isinstance(claim, list) else None
