from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from card_payments import CardPayments, WebhookVerificationError, models, verify_webhook

from fake_service import API_KEY, payment

SECRET, FORMER = (f"whsec_{base64.b64encode(bytes([number]) * 32).decode()}" for number in (1, 2))
EVENT = {"id": "evt_5g5SLmIUyUPNOjKUl2iEhwBJ", "type": "payment.paid", "data": payment("paid")}
BODY = json.dumps(EVENT)


def signed(secrets: tuple[str, ...] = (SECRET,), age: float = 0, body: str = BODY) -> dict[str, str]:
    """Signs as the service does, by the Standard Webhooks specification."""
    at = str(int(time.time() - age))
    content = f"{EVENT['id']}.{at}.{body}".encode()
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    digests = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys]
    signature = " ".join(f"v1,{digest}" for digest in digests)
    return {"webhook-id": str(EVENT["id"]), "webhook-timestamp": at, "webhook-signature": signature}


@pytest.mark.parametrize(
    "raw_body", [BODY, BODY.encode(), bytearray(BODY.encode()), memoryview(BODY.encode())]
)
def test_returns_the_event_of_text_and_of_bytes(raw_body: Any) -> None:
    event = verify_webhook(raw_body, signed(), SECRET)
    assert isinstance(event, models.PaymentPaidEvent)
    assert (event.type, event.data.amount_cents) == ("payment.paid", 2500)
    client = CardPayments(api_key=API_KEY, base_url="https://a.b")
    assert client.webhooks.verify(raw_body, signed(), SECRET) == event


def test_takes_the_headers_of_frameworks() -> None:
    headers = signed()
    for given in (
        {name.title(): value for name, value in headers.items()},
        {name.upper(): [value] for name, value in headers.items()},
        [(name.encode(), value.encode()) for name, value in headers.items()],
    ):
        assert verify_webhook(BODY, given, SECRET).id == EVENT["id"]


def test_takes_either_secret_during_a_rotation() -> None:
    assert verify_webhook(BODY, signed((SECRET, FORMER)), FORMER).id == EVENT["id"]
    assert verify_webhook(BODY, signed((FORMER,)), [SECRET, FORMER]).id == EVENT["id"]


def test_returns_an_event_of_an_unknown_type() -> None:
    newer = json.dumps({**EVENT, "type": "payment.new"})
    event = verify_webhook(newer, signed(body=newer), SECRET)
    assert isinstance(event, models.UnknownEvent)
    assert (event.type, event.data["amountCents"]) == ("payment.new", 2500)


def test_takes_a_delivery_that_is_four_minutes_old() -> None:
    assert verify_webhook(BODY, signed(age=240), SECRET).id == EVENT["id"]


@pytest.mark.parametrize(
    ("verify", "reason"),
    [
        (lambda: verify_webhook(EVENT, signed(), SECRET), "parsed already"),  # type: ignore[arg-type]
        (lambda: verify_webhook(f"{BODY} ", signed(), SECRET), "No signature matches"),
        (lambda: verify_webhook(BODY, signed(), FORMER), "No signature matches"),
        (lambda: verify_webhook(BODY, signed(), []), "secret"),
        (lambda: verify_webhook(BODY, signed(), ""), "whsec_"),
        (lambda: verify_webhook(BODY, signed(), "whsec_***"), "whsec_"),
        (lambda: verify_webhook(BODY, {}, SECRET), "headers"),
        (lambda: verify_webhook(BODY, signed(age=600), SECRET), "seconds away from the clock"),
        (lambda: verify_webhook(BODY, signed(age=-600), SECRET), "the clock is wrong"),
        (lambda: verify_webhook(BODY, {**signed(), "webhook-timestamp": "now"}, SECRET), "not a number"),
        (
            lambda: verify_webhook(BODY, {**signed(), "webhook-signature": "v2,AAAA v1,é v1"}, SECRET),
            "No signature matches",
        ),
        (lambda: verify_webhook("[]", signed(body="[]"), SECRET), "not an event"),
    ],
)
def test_refuses_with_a_reason_that_has_no_secret(verify: Callable[[], object], reason: str) -> None:
    with pytest.raises(WebhookVerificationError, match=reason) as caught:
        verify()
    assert SECRET[6:] not in str(caught.value)
