"""Calls of the API as flows: authenticate, wait, retry calls that are safe to repeat, raise refusals."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

import httpx

from ._errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    ConfigurationError,
    ConflictError,
    RateLimitError,
    ServiceUnavailableError,
    class_of,
    invalid_argument,
)
from ._flow import Fault, Flow, Reply, Send, Sleep
from ._settings import RequestEvent, ResponseEvent, Settings, is_seconds
from ._version import VERSION

T = TypeVar("T")

# A longer wait is left to the caller.
_LONGEST_RETRY_AFTER_SECONDS = 60
# The service may hold a read this much longer than it was asked to.
WAIT_SLACK_SECONDS = 10.0


@dataclass(frozen=True)
class WithResponse(Generic[T]):
    """A result with its HTTP status, headers and request id."""

    data: T
    status: int
    """The HTTP status."""
    headers: httpx.Headers = field(repr=False)
    request_id: str | None
    """The id of the call; quote it to support."""

    def of(self, data: Any) -> WithResponse[Any]:
        """Returns the same answer with another result."""
        return WithResponse(data, self.status, self.headers, self.request_id)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The settings of the client that every call may replace."""

    timeout: float | None = None
    max_retries: int | None = None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of the API."""

    method: str
    path: str
    """With `{id}` in place of the id."""
    id: str | None = None
    query: Mapping[str, object] = field(default_factory=dict, repr=False)
    body: Mapping[str, object] | None = field(default=None, repr=False)
    idempotency_key: str | None = None
    """Makes the call safe to repeat."""
    options: Options = Options()


def send(settings: Settings, call: Call) -> Flow[WithResponse[Mapping[str, Any]]]:
    """Makes a call and returns the whole body. Raises the error of a refusal."""
    request = _request(settings, call)
    max_retries = settings.max_retries if call.options.max_retries is None else call.options.max_retries
    retry = 0
    while True:
        answer = yield from _once(settings, call, request, retry + 1)
        if not isinstance(answer, Exception):
            return answer
        wait = _retry_after(answer, call, retry) if retry < max_retries else None
        if wait is None:
            raise answer
        yield Sleep(wait)
        retry += 1


def send_for(
    settings: Settings, call: Call, parse: Callable[[Mapping[str, Any]], T]
) -> Flow[WithResponse[T]]:
    """Makes a call whose result is in `data`, as for every single object."""
    answer = yield from send(settings, call)
    data = answer.data["data"]
    if not isinstance(data, Mapping):
        raise _foreign(answer.status)
    parsed: WithResponse[T] = answer.of(parse(data))
    return parsed


def back_off(retry: int) -> float:
    """Returns the back-off before retry number `retry` (from 0), in seconds: it doubles, with jitter."""
    return float(min(0.5 * 2 ** min(retry, 10), 8.0) * (0.5 + random.random() / 2))


def timeout_of(settings: Settings, options: Options) -> float:
    """Returns the longest wait for one answer."""
    timeout = settings.timeout if options.timeout is None else options.timeout
    if not is_seconds(timeout) or timeout <= 0:
        raise invalid_argument("timeout", "timeout must be a positive number of seconds.")
    return timeout


def _request(settings: Settings, call: Call) -> Send:
    if "{id}" in call.path and not _is_id(call.id):
        raise invalid_argument("id", "id must be the id of an object, as the service gave it.")
    timeout = timeout_of(settings, call.options)
    wait = call.query.get("waitSeconds")
    if call.options.timeout is None and isinstance(wait, (int, float)):
        timeout = max(timeout, wait + WAIT_SLACK_SECONDS)
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Authorization": f"Bearer {settings.api_key}",
        "User-Agent": f"card-payments-python/{VERSION}",
    }
    if call.idempotency_key is not None:
        headers["Idempotency-Key"] = _checked_idempotency_key(call.idempotency_key)
    content = None if call.body is None else _json(call.body)
    if content is not None:
        headers["Content-Type"] = "application/json"
    query = {name: _query_value(value) for name, value in call.query.items() if value is not None}
    url = (
        settings.origin + call.path.replace("{id}", call.id or "") + (f"?{urlencode(query)}" if query else "")
    )
    return Send(call.method, url, headers, content, timeout)


def _is_id(value: object) -> bool:
    # Ids of the service are UUIDs or `evt_…`. Nothing else may change the path that is called.
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value) is not None


def _is_own_id(value: str) -> bool:
    # Has a shape of the service, so that it may be logged: it cannot be a card number.
    shape = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|evt_[0-9A-Za-z]{24}"
    return re.fullmatch(shape, value, re.IGNORECASE) is not None


def _checked_idempotency_key(key: object) -> str:
    if not isinstance(key, str) or re.fullmatch(r"[!-~]{16,255}", key) is None:
        raise invalid_argument(
            "idempotency_key",
            "idempotency_key must be 16 to 255 visible ASCII characters, such as order-1001-attempt-1.",
        )
    return key


def _json(body: Mapping[str, object]) -> bytes:
    failed_on = ""
    try:
        return json.dumps(body, allow_nan=False, default=_written).encode()
    except (TypeError, ValueError, RecursionError) as error:
        failed_on = type(error).__name__
    # Raised outside the block above, because the text of that error may quote what was to be sent.
    raise invalid_argument("body", f"An argument cannot be written as JSON ({failed_on}). Nothing was sent.")


def _written(value: object) -> str:
    """Returns an instant or a day in the form that the service reads."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        # The service reads instants of UTC that end with Z.
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError


def _query_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime) and value.tzinfo is None:
        raise invalid_argument("query", "An instant needs a time zone. Nothing was sent.")
    return _written(value) if isinstance(value, date) else str(value)


def _once(
    settings: Settings, call: Call, request: Send, attempt: int
) -> Flow[WithResponse[Mapping[str, Any]] | APIError | APIConnectionError]:
    """Makes one try. Returns the error of a refusal, or of an answer that does not come from the service."""
    logged_id = call.id if call.id is not None and _is_own_id(call.id) else None
    settings.requested(RequestEvent(method=call.method, path=call.path, id=logged_id, attempt=attempt))
    started_at = time.monotonic()
    reply: Reply | Fault = yield request
    settings.responded(
        ResponseEvent(
            method=call.method,
            path=call.path,
            id=logged_id,
            attempt=attempt,
            status=reply.status,
            request_id=None if isinstance(reply, Fault) else reply.headers.get("request-id"),
            duration_seconds=time.monotonic() - started_at,
        )
    )
    if isinstance(reply, Fault):
        return connection_error(reply, request.timeout)
    return _result_of(reply, settings.api_key)


def connection_error(fault: Fault, timeout: float) -> APIConnectionError:
    """Returns the error of an answer that was not received completely."""
    if fault.kind == "closed":
        raise ConfigurationError("The client is closed. Nothing was sent.")
    processed = "The request may have been processed."
    if fault.kind == "timeout":
        text = f"No complete answer was received within {timeout:g} seconds. {processed}"
        return APITimeoutError(text, fault.reason)
    if fault.kind == "tooLarge":
        text = f"The answer is larger than any answer of the service: check base_url. {processed}"
        return APIConnectionError(text, fault.reason)
    what = "No answer was received" if fault.status is None else "The answer was cut off"
    return APIConnectionError(f"{what}. {processed}", fault.reason)


def parse_object(body: bytes) -> Mapping[str, Any]:
    """Returns the object of a JSON text; an empty one when it is no object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _foreign(status: int) -> APIConnectionError:
    return APIConnectionError(
        f"The answer ({status}) is not one of the service: check base_url, and what stands before it."
    )


def _result_of(reply: Reply, api_key: str) -> WithResponse[Mapping[str, Any]] | APIError | APIConnectionError:
    """Returns the result in an answer, or the error of a refusal."""
    status, headers = reply.status, reply.headers
    request_id = headers.get("request-id")
    if 300 <= status < 400:
        return APIError(
            "The answer is a redirect, which is not followed: it would take the key elsewhere. "
            "Check base_url.",
            status=status,
            code="redirected",
            request_id=request_id,
        )
    body = parse_object(reply.body)
    is_ok = 200 <= status < 300
    if is_ok and "data" in body:
        return WithResponse(body, status, headers, request_id)
    refused = body.get("error")
    error: Mapping[str, Any] = refused if isinstance(refused, Mapping) else {}
    code, words, field_at_fault = error.get("code"), error.get("message"), error.get("field")
    if not isinstance(code, str):
        foreign = _foreign(status)
        if is_ok:
            return foreign
        return class_of(status)(
            foreign.message,
            status=status,
            code="unreadable_answer",
            request_id=request_id,
            retry_after_seconds=_wait_of(headers),
        )
    return class_of(status)(
        f"{words if isinstance(words, str) else code}{_hint_for(status, api_key)}",
        status=status,
        code=code,
        field=field_at_fault if isinstance(field_at_fault, str) else None,
        recovery=headers.get("recovery"),
        request_id=request_id,
        retry_after_seconds=_wait_of(headers),
    )


def _wait_of(headers: httpx.Headers) -> int | None:
    seconds = headers.get("retry-after", "")
    return int(seconds) if re.fullmatch(r"[0-9]{1,6}", seconds) else None


def _hint_for(status: int, api_key: str) -> str:
    """Returns what to check after a refusal whose reason the service does not reveal."""
    if status == 401:
        return " Check CARD_PAYMENTS_API_KEY, or the api_key that the client was given."
    if status != 404:
        return ""
    environment = re.match(r"cp[a-z]_(sandbox|live)_", api_key)
    key_of = f" (this key is of {environment[1]})" if environment else ""
    return f" Check the id, the environment of the key{key_of}, and whether the feature is enabled."


def _retry_after(error: APIError | APIConnectionError, call: Call, retry: int) -> float | None:
    """Returns the wait before an automatic retry; None when a retry is not safe."""
    is_repeatable = call.method == "GET" or call.idempotency_key is not None
    is_transient = isinstance(error, RateLimitError) or (
        is_repeatable
        and (
            isinstance(error, (APIConnectionError, ServiceUnavailableError))
            or (isinstance(error, ConflictError) and error.code == "idempotency_in_progress")
        )
    )
    if not is_transient:
        return None
    seconds = error.retry_after_seconds if isinstance(error, APIError) else None
    if seconds is None:
        return back_off(retry)
    return None if seconds > _LONGEST_RETRY_AFTER_SECONDS else float(seconds)
