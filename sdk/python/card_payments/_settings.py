"""The settings with which a client reaches the service."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import httpx

from ._errors import ConfigurationError


@dataclass(frozen=True, kw_only=True)
class RequestEvent:
    """The description of a call that a hook receives, without any body, header, query or secret."""

    method: str
    """For example `POST`."""
    path: str
    """The path with `{id}` in place of the id, such as `/v1/payments/{id}`."""
    id: str | None
    """The id in the path, if there is one."""
    attempt: int
    """1 for the first try."""


@dataclass(frozen=True, kw_only=True)
class ResponseEvent(RequestEvent):
    """The description of an answer that a hook receives."""

    status: int | None
    """The HTTP status; None when no answer was received."""
    request_id: str | None
    """The id of the call; quote it to support."""
    duration_seconds: float


OnRequest = Callable[[RequestEvent], object]
OnResponse = Callable[[ResponseEvent], object]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a client, complete and checked."""

    api_key: str = field(repr=False)
    origin: str
    timeout: float
    max_retries: int
    on_request: OnRequest | None
    on_response: OnResponse | None

    def requested(self, event: RequestEvent) -> None:
        """Calls the hook of requests."""
        _silently(self.on_request, event)

    def responded(self, event: ResponseEvent) -> None:
        """Calls the hook of answers."""
        _silently(self.on_response, event)


_E = TypeVar("_E")


def _silently(hook: Callable[[_E], object] | None, event: _E) -> None:
    if hook is None:
        return
    try:
        hook(event)
    except Exception:
        # The hook belongs to the caller. A failing log must not fail a payment.
        return


def read_settings(
    *,
    api_key: str | None,
    base_url: str | None,
    timeout: float,
    max_retries: int,
    on_request: OnRequest | None,
    on_response: OnResponse | None,
) -> Settings:
    """Returns the settings of a client. Raises ConfigurationError when one cannot be used."""
    if not is_seconds(timeout) or timeout <= 0:
        raise ConfigurationError("timeout must be a positive number of seconds.")
    if not isinstance(max_retries, int) or max_retries < 0:
        raise ConfigurationError("max_retries must be a whole number from 0.")
    return Settings(
        api_key=_checked_key(os.environ.get("CARD_PAYMENTS_API_KEY") if api_key is None else api_key),
        origin=_checked_origin(os.environ.get("CARD_PAYMENTS_URL") if base_url is None else base_url),
        timeout=timeout,
        max_retries=max_retries,
        on_request=on_request,
        on_response=on_response,
    )


def is_seconds(value: object) -> bool:
    """Returns whether a value is a finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and value >= 0


def _checked_key(key: object) -> str:
    if key is None or key == "":
        raise ConfigurationError("The API key is missing: pass api_key, or set CARD_PAYMENTS_API_KEY.")
    # Other characters cannot be sent in a header, and the resulting error would quote the key.
    if not isinstance(key, str) or re.fullmatch(r"[!-~]+", key) is None:
        raise ConfigurationError(
            "The API key contains a space, a line break or another character that no key has. Copy it again."
        )
    return key


def _checked_origin(base_url: object) -> str:
    if base_url is None or base_url == "":
        raise ConfigurationError(
            "The address of the service is missing: pass base_url, or set CARD_PAYMENTS_URL."
        )
    example = "base_url must be like https://pay.example"
    url = _parsed(base_url)
    if url is None or not url.host:
        raise ConfigurationError(f"{example}: an absolute URL that begins with https://.")
    if url.scheme not in ("https", "http"):
        raise ConfigurationError(f"{example}: its scheme must be https or http.")
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError(f"{example}, without a user name, a query or a fragment.")
    if url.path not in ("", "/"):
        raise ConfigurationError(f"{example}, without a path: the client adds /v1 itself.")
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def _parsed(base_url: object) -> httpx.URL | None:
    try:
        return httpx.URL(base_url) if isinstance(base_url, str) else None
    except (httpx.InvalidURL, ValueError):
        return None
