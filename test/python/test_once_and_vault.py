from __future__ import annotations

from typing import Any

import httpx
import pytest
from card_payments import (
    APIConnectionError,
    APIError,
    CaptureCard,
    ConflictError,
    ServiceUnavailableError,
    ValidationError,
    models,
)

from fake_service import API_KEY, CARD, ORDER, PAYMENT_ID, Sent, Service, cut, data, listed, payment

PARAMS = {**ORDER, "metadata": {"cart": "c-77"}}


class Forgetful(Service):
    """A service that keeps what is created, and forgets idempotency keys."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind, self._answer)
        self.kept: list[Any] = []

    def _answer(self, request: Sent, _: int) -> httpx.Response:
        if request.method == "POST":
            self.kept.append({**payment("pending"), **request.body, "id": f"id-{len(self.kept) + 1}"})
            return data(self.kept[-1])
        if "search" not in request.path:
            return listed(self.kept, {"page": 1, "perPage": 100, "total": len(self.kept)})
        # One row on a page, so that the object is looked for on the pages behind the first.
        rows = [row for row in self.kept if row["reference"] == request.query["reference"]]
        position = int(request.query.get("cursor", "0"))
        following = position + 1 if position + 1 < len(rows) else None
        return listed(rows[position : position + 1], {"nextCursor": following})


class TestCreateOnce:
    def test_finds_the_same_payment_again_when_the_service_has_forgotten_the_key(self, kind: str) -> None:
        service = Forgetful(kind)
        first = service.run(lambda cp: cp.payments.create_once("order-1001", **PARAMS))
        again = service.run(lambda cp: cp.payments.create_once("order-1001", **PARAMS))
        assert (again, len(service.kept)) == (first, 1)
        assert [request.method for request in service.sent] == ["GET", "POST", "GET"]
        # The SHA-256 of "order-1001": the client for TypeScript derives the same.
        key = "once-50ac93f41009bb5828fbeb9b39ca5129a5888ba493196a343d69c38b2df5a412"
        assert service.sent[1].headers["idempotency-key"] == key
        assert service.sent[1].body["metadata"] == {"cart": "c-77", "createOnceKey": key}

    def test_has_the_answer_that_its_payment_came_in(self, kind: str) -> None:
        service = Forgetful(kind)
        answers = [
            service.run(lambda cp: cp.payments.with_response.create_once("order-1001", **PARAMS))
            for _ in range(2)
        ]
        assert [(each.data.id, each.status, each.request_id) for each in answers] == [
            ("id-1", 200, "req_1")
        ] * 2

    def test_makes_another_payment_for_another_key_also_of_the_same_reference(self, kind: str) -> None:
        service = Forgetful(kind)
        keys = ["order-1001", "order-1001 again", "order-1001 again"]
        ids = [service.run(lambda cp, key=key: cp.payments.create_once(key, **PARAMS)).id for key in keys]
        assert (ids, len(service.kept)) == (["id-1", "id-2", "id-2"], 2)

    def test_refuses_another_amount_under_the_same_key(self, kind: str) -> None:
        service = Forgetful(kind)
        service.run(lambda cp: cp.payments.create_once("order-1001", **PARAMS))
        other = {**PARAMS, "amount_cents": 2600}
        error, _ = service.fails(lambda cp: cp.payments.create_once("order-1001", **other))
        assert isinstance(error, ConflictError)
        assert len(service.kept) == 1

    def test_makes_a_refund_once(self, kind: str) -> None:
        service = Forgetful(kind)
        first = service.run(lambda cp: cp.refunds.create_once("refund-1", PAYMENT_ID, amount_cents=1000))
        again = service.run(lambda cp: cp.refunds.create_once("refund-1", PAYMENT_ID, amount_cents=1000))
        assert (again.id, len(service.kept)) == (first.id, 1)
        error, _ = service.fails(lambda cp: cp.refunds.create_once("refund-1", PAYMENT_ID, amount_cents=500))
        assert isinstance(error, ConflictError)

    @pytest.mark.parametrize("key", ["", None, 7])
    def test_needs_a_key(self, kind: str, key: Any) -> None:
        service = Forgetful(kind)
        error, _ = service.fails(lambda cp: cp.payments.create_once(key, **PARAMS))
        assert isinstance(error, ValidationError)
        assert service.sent == []


SECRET = "cs_4nQ8vB1xT6yR3wZ0"
VISA: dict[str, Any] = {"number": "4242 4242 4242 4242", "cvv": "123", "expiry_month": 7, "expiry_year": 2040}


def access(provider: str = "cardVault", has_capture: bool = True) -> models.Checkout:
    """An answer of prepare_capture."""
    capture = {
        "url": "https://vault.example/capture",
        "secret": SECRET,
        "reference": "cap_8Jd02mKq",
        "expiresAt": "2026-03-01T12:10:00.000Z",
    }
    known: dict[str, object] = {
        "paymentId": PAYMENT_ID,
        "status": "open",
        "pciConfig": {"provider": provider},
    }
    return models.Checkout.from_json({**known, **({"capture": capture} if has_capture else {})})


class TestCapture:
    def test_sends_the_card_to_the_vault_only_with_the_secret_and_without_the_key(self, kind: str) -> None:
        seen: list[Any] = []
        answer = {"token": CARD.card_token, "reference": CARD.capture_reference}
        service = Service(
            kind, lambda *_: httpx.Response(200, json=answer), on_request=seen.append, on_response=seen.append
        )
        assert service.run(lambda cp: cp.vault.capture(access(), **VISA)) == CARD
        assert service.sent[0].body == {
            "card_number": "4242424242424242",
            "card_cvv": "123",
            "card_expiry_month": "07",
            "card_expiry_year": "40",
        }
        assert service.sent[0].headers["x-cardvault-capture-secret"] == SECRET
        assert API_KEY not in repr(service.sent[0].headers)
        assert "authorization" not in service.sent[0].headers
        assert [event.path for event in seen] == ["vault", "vault"]
        assert not any(part in repr(seen) for part in ("4242424242", "cs_4n", "tok_"))

    def test_names_the_header_of_the_other_vault(self, kind: str) -> None:
        answer = {"token": "t", "reference": "cap_8Jd02mKq"}
        service = Service(kind, lambda *_: httpx.Response(200, json=answer))
        service.run(lambda cp: cp.vault.capture(access("pciVault"), **VISA))
        assert service.sent[0].headers["x-pcivault-capture-secret"] == SECRET

    def test_refuses_a_token_of_another_capture(self, kind: str) -> None:
        service = Service(kind, lambda *_: httpx.Response(200, json={"token": "t", "reference": "other"}))
        error, _ = service.fails(lambda cp: cp.vault.capture(access(), **VISA))
        assert isinstance(error, APIError)
        assert error.code == "capture_reference_mismatch"

    @pytest.mark.parametrize(
        ("respond", "expected"),
        [
            (cut, APIConnectionError),
            (lambda: httpx.Response(200, json={}), APIConnectionError),
            (lambda: httpx.Response(200, text="<html>"), APIConnectionError),
            (
                lambda: httpx.Response(
                    400,
                    json={"error": {"message": f"4242424242424242 {SECRET}", "field": "card_number"}},
                ),
                ValidationError,
            ),
            (
                lambda: httpx.Response(302, headers={"location": "https://evil.example"}),
                ServiceUnavailableError,
            ),
            (lambda: httpx.Response(500), ServiceUnavailableError),
        ],
    )
    def test_gives_a_typed_error_once_without_card_and_secret(
        self, kind: str, respond: Any, expected: type[Exception]
    ) -> None:
        service = Service(kind, lambda *_: respond())
        error, text = service.fails(lambda cp: cp.vault.capture(access(), **VISA))
        assert isinstance(error, expected)
        assert not any(secret in text for secret in ("4242424242424242", "cs_4n"))
        assert "charged" in str(error)
        assert len(service.sent) == 1

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("number", "4242"),
            ("number", "4242424242424242\n"),
            ("cvv", "12"),
            ("expiry_month", 13),
            ("expiry_year", "203"),
        ],
    )
    def test_sends_nothing_with_a_wrong_field(self, kind: str, field: str, value: object) -> None:
        service = Service(kind, lambda *_: cut())
        error, _ = service.fails(lambda cp: cp.vault.capture(access(), **{**VISA, field: value}))
        assert isinstance(error, ValidationError)
        assert (error.field, service.sent) == (field, [])

    @pytest.mark.parametrize("given", [access(has_capture=False), None, {"capture": {}}])
    def test_needs_the_answer_of_prepare_capture(self, kind: str, given: Any) -> None:
        error, _ = Service(kind, lambda *_: cut()).fails(lambda cp: cp.vault.capture(given, **VISA))
        assert isinstance(error, ValidationError)
        assert error.field == "access"


def test_a_card_is_a_value() -> None:
    assert CaptureCard(card_token="t", capture_reference="c") == CaptureCard(
        card_token="t", capture_reference="c"
    )
