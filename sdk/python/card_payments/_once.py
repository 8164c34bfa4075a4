"""Creating an object once: in any process, at any time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ._errors import ConflictError, invalid_argument
from ._flow import Flow
from ._pages import next_position, rows_of
from ._settings import Settings
from ._transport import Call, Options, WithResponse, send, send_for
from .models import Environment, PaymentStatus, Refund

T = TypeVar("T")

_ONCE_MEMBER = "createOnceKey"


@dataclass(frozen=True, kw_only=True)
class OncePayment:
    """A payment that `create_once` made or found."""

    id: str
    status: PaymentStatus | str
    checkout_url: str | None = field(repr=False)
    """None once the checkout can no longer be used."""
    expires_at: str
    environment: Environment | str

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> OncePayment:
        """Returns the payment of an answer."""
        return cls(
            id=value.get("id", ""),
            status=value.get("status", ""),
            checkout_url=value.get("checkoutUrl"),
            expires_at=value.get("expiresAt", ""),
            environment=value.get("environment", ""),
        )


def payment(
    settings: Settings, order_key: str, body: Mapping[str, Any], options: Options
) -> Flow[WithResponse[OncePayment]]:
    """Creates a payment, or finds the one that was created with this key before."""
    key = _once_key(order_key)
    query = {"reference": body.get("reference"), "limit": 100}
    search = Call(method="GET", path="/v1/search/payments", query=query, options=options)
    create = Call(
        method="POST",
        path="/v1/payments",
        body=_marked(body, key),
        idempotency_key=key,
        options=options,
    )
    return _found_or_made(settings, search, create, OncePayment.from_json)


def refund(
    settings: Settings, keys: tuple[str, str], body: Mapping[str, Any], options: Options
) -> Flow[WithResponse[Refund]]:
    """Makes a refund, or finds the one that was made before.

    `keys`: the id of the payment and the caller's key.
    """
    payment_id, _ = keys
    key = _once_key(*keys)
    path = "/v1/payments/{id}/refunds"
    refunds = Call(method="GET", path=path, id=payment_id, query={"perPage": 100}, options=options)
    create = Call(
        method="POST",
        path=path,
        id=payment_id,
        body=_marked(body, key),
        idempotency_key=key,
        options=options,
    )
    return _found_or_made(settings, refunds, create, Refund.from_json)


def _found_or_made(
    settings: Settings, listing: Call, create: Call, parse: Callable[[Mapping[str, Any]], T]
) -> Flow[WithResponse[T]]:
    """Searches for the object first, because the service keeps an idempotency key for 24 hours only."""
    found = yield from _find_marked(settings, listing, create.idempotency_key)
    if found is None:
        return (yield from send_for(settings, create, parse))
    asked = (create.body or {}).get("amountCents")
    if asked is not None and found.data.get("amountCents") != asked:
        raise ConflictError(
            "This key of create_once was used with another amount. Use a new key for another amount.",
            status=409,
            code="idempotency_key_reused",
            field="amountCents",
            recovery="fix_request",
        )
    known: WithResponse[T] = found.of(parse(found.data))
    return known


def _find_marked(
    settings: Settings, listing: Call, key: str | None
) -> Flow[WithResponse[Mapping[str, Any]] | None]:
    position: Mapping[str, object] | None = {}
    while position is not None:
        query = {**listing.query, **position}
        call = Call(method="GET", path=listing.path, id=listing.id, query=query, options=listing.options)
        answer = yield from send(settings, call)
        rows = rows_of(answer.data)
        for row in rows:
            if isinstance(row, Mapping) and (row.get("metadata") or {}).get(_ONCE_MEMBER) == key:
                return answer.of(row)
        position = next_position(answer.data.get("meta"), len(rows))
    return None


def _once_key(*parts: object) -> str:
    """Returns the idempotency key of a `create_once`: the same in every process and in every SDK."""
    texts = [part for part in parts if isinstance(part, str) and part != ""]
    if len(texts) < len(parts):
        raise invalid_argument("key", "The key of create_once must be a text, such as the id of your order.")
    return f"once-{hashlib.sha256(chr(10).join(texts).encode()).hexdigest()}"


def _marked(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    metadata = body.get("metadata")
    return {**body, "metadata": {**(metadata if isinstance(metadata, Mapping) else {}), _ONCE_MEMBER: key}}
