"""Verifies the deliveries that endpoints receive."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ._errors import WebhookVerificationError
from ._transport import parse_object
from .models import Event, parse_event

WebhookHeaders: TypeAlias = Mapping[str, Any] | Iterable[tuple[str | bytes, str | bytes]]
"""The headers of a request: a mapping, as in most frameworks, or pairs, as in ASGI."""

_TOLERANCE_SECONDS: Final = 5 * 60
_MALFORMED_SECRET: Final = (
    "The secret of the endpoint must be like whsec_… as it was shown when it was created."
)


class Webhooks:
    """Verifies the deliveries that endpoints receive."""

    def verify(self, raw_body: str | bytes, headers: WebhookHeaders, secret: str | Sequence[str]) -> Event:
        """See `verify_webhook`."""
        return verify_webhook(raw_body, headers, secret)


def verify_webhook(raw_body: str | bytes, headers: WebhookHeaders, secret: str | Sequence[str]) -> Event:
    """Returns the event of a delivery.

    `raw_body`: the bytes or the text as received, before any parser. `secret`: the secret of the endpoint
    (`whsec_…`), or both while you change it. Raises WebhookVerificationError when the delivery is not from
    the service, or is older or newer than five minutes.
    """
    body = _bytes_of(raw_body)
    named = _named(headers)
    id, timestamp, signatures = (named.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not id or not timestamp or not signatures:
        raise WebhookVerificationError(
            "The headers webhook-id, webhook-timestamp and webhook-signature are required. "
            "Pass all headers of the request."
        )
    _require_recent(timestamp)
    signed = f"{id}.{timestamp}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    digests = [hmac.digest(_key_of(each), signed, hashlib.sha256) for each in secrets]
    given = [bytes_given for part in signatures.split(" ") for bytes_given in _signature_of(part)]
    # Every pair is compared, so that the duration does not reveal which one matched.
    matches = [hmac.compare_digest(digest, signature) for digest in digests for signature in given]
    if not any(matches):
        raise WebhookVerificationError(
            "No signature matches. Check the secret of this endpoint, and that the body is unchanged since "
            "it was received."
        )
    event = parse_object(body)
    if not isinstance(event.get("id"), str) or not isinstance(event.get("type"), str):
        raise WebhookVerificationError("The signed body is not an event.")
    return parse_event(event)


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode("utf-8", "surrogatepass")
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise WebhookVerificationError(
        "raw_body was parsed already: pass the text or the bytes of the request, before any JSON parser."
    )


def _named(headers: WebhookHeaders) -> dict[str, str]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    named: dict[str, str] = {}
    for name, value in pairs:
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(first, (str, bytes)):
            named.setdefault(_text(name).lower(), _text(first))
    return named


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _require_recent(timestamp: str) -> None:
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        raise WebhookVerificationError("webhook-timestamp is not a number of seconds.")
    seconds = round(abs(time.time() - int(timestamp)))
    if seconds > _TOLERANCE_SECONDS:
        raise WebhookVerificationError(
            f"webhook-timestamp is {seconds} seconds away from the clock of this machine, more than five "
            "minutes. Either the delivery is old or the clock is wrong."
        )


def _key_of(secret: object) -> bytes:
    if not isinstance(secret, str) or re.fullmatch(r"whsec_[A-Za-z0-9+/]{16,}={0,2}", secret) is None:
        raise WebhookVerificationError(_MALFORMED_SECRET)
    key = _from_base64(secret.removeprefix("whsec_"))
    if key is None:
        raise WebhookVerificationError(_MALFORMED_SECRET)
    return key


def _signature_of(part: str) -> list[bytes]:
    """Returns the bytes of one signature, in a list that is empty for a signature of another version."""
    version, _, text = part.partition(",")
    signature = _from_base64(text) if version == "v1" else None
    return [] if signature is None else [signature]


def _from_base64(text: str) -> bytes | None:
    try:
        # Trailing `=` may be left out.
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
