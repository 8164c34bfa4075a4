"""The card vault. A backend sends the card there; the service never sees it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ._errors import APIConnectionError, APIError, class_of, invalid_argument
from ._flow import Fault, Flow, Reply, Send
from ._settings import RequestEvent, ResponseEvent, Settings
from ._transport import Options, WithResponse, connection_error, parse_object, timeout_of
from .models import Checkout


@dataclass(frozen=True, kw_only=True)
class CaptureCard:
    """The argument of `pay`: the answer of the vault.

    A secret of your backend; store both members encrypted before you pay.
    """

    card_token: str = field(repr=False)
    capture_reference: str


def card_body(card: CaptureCard) -> dict[str, str]:
    """Returns the body of a pay. Raises ValidationError when the argument is no CaptureCard."""
    if not isinstance(card, CaptureCard):
        raise invalid_argument("card", "card must be a CaptureCard, as vault.capture returns it.")
    return {"cardToken": card.card_token, "captureReference": card.capture_reference}


_SECRET_HEADERS: Final = {
    "cardVault": "X-CardVault-Capture-Secret",
    "pciVault": "X-PCIVault-Capture-Secret",
}
_FIELDS: Final = {
    "number": "card_number",
    "cvv": "card_cvv",
    "expiry_month": "card_expiry_month",
    "expiry_year": "card_expiry_year",
}
_AGAIN: Final = "Nothing was charged. Prepare capture again and send the card again."


def capture(
    settings: Settings, access: Checkout, card: Mapping[str, object], options: Options
) -> Flow[WithResponse[CaptureCard]]:
    """Sends a card to the vault, and compares the references. The call is never repeated automatically."""
    given = access.capture if isinstance(access, Checkout) else None
    if given is None:
        raise invalid_argument(
            "access", "access has no capture secret: pass the answer of payments.prepare_capture."
        )
    timeout = timeout_of(settings, options)
    secret_header = _SECRET_HEADERS.get(access.pci_config.provider, _SECRET_HEADERS["cardVault"])
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        secret_header: given.secret,
    }
    content = json.dumps(_card_body(card)).encode()
    reply = yield from _sent(settings, Send("POST", given.url, headers, content, timeout))
    answer = parse_object(reply.body)
    if not 200 <= reply.status < 300:
        raise _refusal(reply.status, answer)
    token, reference = answer.get("token"), answer.get("reference")
    if not isinstance(token, str) or not isinstance(reference, str):
        raise APIConnectionError(f"The vault returned no token. {_AGAIN}")
    if reference != given.reference:
        raise APIError(
            "The vault answered for another capture. Do not pay with this token; nothing was charged.",
            status=200,
            code="capture_reference_mismatch",
            recovery="none",
        )
    captured = CaptureCard(card_token=token, capture_reference=reference)
    return WithResponse(captured, reply.status, reply.headers, None)


def _sent(settings: Settings, send: Send) -> Flow[Reply]:
    settings.requested(RequestEvent(method="POST", path="vault", id=None, attempt=1))
    started_at = time.monotonic()
    reply: Reply | Fault = yield send
    settings.responded(
        ResponseEvent(
            method="POST",
            path="vault",
            id=None,
            attempt=1,
            status=reply.status,
            request_id=None,
            duration_seconds=time.monotonic() - started_at,
        )
    )
    if isinstance(reply, Reply):
        return reply
    # The message for the service would state that the request may have been processed.
    kind = type(connection_error(reply, send.timeout))
    raise kind(f"The vault did not answer. {_AGAIN}", reply.reason)


def _refusal(vault_status: int, answer: Mapping[str, Any]) -> APIError:
    """Returns the error of a refusal without the vault's own text, which may quote the card."""
    error = answer.get("error")
    at_fault = error.get("field") if isinstance(error, Mapping) else None
    named = next((name for name, spelling in _FIELDS.items() if spelling == at_fault), None)
    status = vault_status if vault_status >= 400 else 502
    if status >= 500:
        text = f"The vault is unavailable. {_AGAIN}"
        return class_of(status)(text, status=status, code="vault_unavailable", recovery="retry_later")
    text = f"The vault refused the card{'' if named is None else f' ({named})'}. Nothing was charged."
    return class_of(status)(text, status=status, code="card_refused", field=named, recovery="ask_customer")


def _card_body(card: Mapping[str, object]) -> dict[str, str]:
    number = re.sub(r"[ -]", "", str(card["number"]))
    cvv = str(card["cvv"])
    month = str(card["expiry_month"]).rjust(2, "0")
    year = str(card["expiry_year"]).rjust(2, "0")
    if re.fullmatch(r"[0-9]{12,19}", number) is None:
        raise invalid_argument("number", "number must have 12 to 19 digits.")
    if re.fullmatch(r"[0-9]{3,4}", cvv) is None:
        raise invalid_argument("cvv", "cvv must have three or four digits.")
    if re.fullmatch(r"0[1-9]|1[0-2]", month) is None:
        raise invalid_argument("expiry_month", "expiry_month must be 1 to 12.")
    if re.fullmatch(r"[0-9]{2}|[0-9]{4}", year) is None:
        raise invalid_argument("expiry_year", "expiry_year must have two or four digits.")
    values = {"number": number, "cvv": cvv, "expiry_month": month, "expiry_year": year[-2:]}
    return {_FIELDS[name]: value for name, value in values.items()}
