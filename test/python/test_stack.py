"""The packed client against `npm start`, with connections that are cut."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest
from card_payments import (
    AsyncCardPayments,
    AuthenticationError,
    CaptureCard,
    CardPayments,
    NotFoundError,
    ValidationError,
    models,
    outcomes,
    verify_webhook,
)

from test_package import readme_blocks
from test_webhooks import SECRET, signed

URL, CUTTING_URL, CONTROL_URL, API_KEY = (
    os.environ[f"TEST_{name}"] for name in ("URL", "CUTTING_URL", "CONTROL_URL", "API_KEY")
)
VISA = "4242424242424242"
DECLINED = "4000000000000002"
LOST_ANSWER = "4000000000007007"
CHALLENGED = "4000000000003220"


def control(what: str) -> Any:
    """Orders or asks something beside the client."""
    response = httpx.get(f"{CONTROL_URL}/{what}", timeout=30)
    response.raise_for_status()
    return response.json()


def charges(payment_id: str) -> int:
    """How often the network has taken the money of a payment."""
    return int(control(f"charges/{payment_id}"))


class Shop:
    """A merchant's backend, with either client."""

    def __init__(self, kind: str) -> None:
        self._options: Any = {"api_key": API_KEY, "base_url": CUTTING_URL}
        self._loop = asyncio.new_event_loop()
        self._is_async = kind == "async"
        self._blocking = CardPayments(**self._options)
        self._awaited = AsyncCardPayments(**self._options)

    def run(self, call: Any) -> Any:
        """Returns what a call of the client gives."""
        if not self._is_async:
            return call(self._blocking)

        async def awaited() -> Any:
            return await call(self._awaited)

        return self._loop.run_until_complete(awaited())

    def close(self) -> None:
        """Ends both clients."""
        self._blocking.close()
        self._loop.run_until_complete(self._awaited.aclose())
        self._loop.close()

    def order(self, checkout_mode: str = "custom") -> dict[str, Any]:
        """Returns the parameters of a new order."""
        return {
            "amount_cents": 2500,
            "currency": "USD",
            "reference": f"order-{uuid4()}",
            "success_url": "https://shop.example/thanks",
            "cancel_url": "https://shop.example/cart",
            "checkout_mode": checkout_mode,
        }

    def captured(self, number: str = VISA) -> tuple[str, CaptureCard]:
        """Creates a payment and captures a card for it."""
        order = self.order()
        payment = self.run(lambda cp: cp.payments.create_once(order["reference"], **order))
        access = self.run(lambda cp: cp.payments.prepare_capture(payment.id))
        card = self.run(
            lambda cp: cp.vault.capture(access, number=number, cvv="123", expiry_month=12, expiry_year=2040)
        )
        return payment.id, card

    def pay(self, payment_id: str, card: CaptureCard) -> Any:
        """Returns the outcome of pay_and_wait."""
        return self.run(lambda cp: cp.payments.pay_and_wait(payment_id, card))

    def recover(self, payment_id: str, timeout: float = 60) -> Any:
        """Returns the outcome of recover."""
        return self.run(lambda cp: cp.payments.recover(payment_id, timeout=timeout))


@pytest.fixture
def shop(kind: str) -> Iterator[Shop]:
    """A merchant's backend."""
    made = Shop(kind)
    yield made
    made.close()


def test_a_payment_is_created_once_paid_refunded_once_and_found_by_its_reference(shop: Shop) -> None:
    payment_id, card = shop.captured()
    outcome = shop.pay(payment_id, card)
    assert isinstance(outcome, outcomes.Paid)
    assert (outcome.payment.id, outcome.payment.status, outcome.payment.amount_cents) == (
        payment_id,
        "paid",
        2500,
    )
    assert charges(payment_id) == 1
    refunds = {
        shop.run(lambda cp: cp.refunds.create_once("return-1", payment_id, amount_cents=1000)).id
        for _ in range(2)
    }
    assert len(refunds) == 1
    found = shop.run(lambda cp: cp.payments.search(reference=outcome.payment.reference))
    assert [payment.id for payment in found.data] == [payment_id]


@pytest.mark.parametrize("cut", ["before", "within", "after"])
def test_a_payment_is_charged_once_when_the_connection_is_cut(shop: Shop, cut: str) -> None:
    payment_id, card = shop.captured()
    control(f"cut/{cut}")
    outcome = shop.pay(payment_id, card)
    assert (outcome.status, control("cuts"), charges(payment_id)) == ("paid", 0, 1)


def test_a_payment_is_found_paid_when_the_answer_of_the_network_is_lost(shop: Shop) -> None:
    payment_id, card = shop.captured(LOST_ANSWER)
    assert (shop.pay(payment_id, card).status, charges(payment_id)) == ("paid", 1)


def test_a_declined_pay_whose_connection_is_cut_uses_one_attempt(shop: Shop) -> None:
    payment_id, card = shop.captured(DECLINED)
    control("cut/within")
    outcome = shop.pay(payment_id, card)
    assert outcome == outcomes.Declined(payment_id=payment_id, attempts_left=4, failure_code="card_declined")
    # Another process knows the id alone.
    with CardPayments(api_key=API_KEY, base_url=URL) as other:
        assert other.payments.recover(payment_id) == outcome


def test_two_pays_at_once_charge_once() -> None:
    shop = Shop("sync")
    payment_id, card = shop.captured()
    with ThreadPoolExecutor(2) as threads:
        both = list(threads.map(lambda _: shop.pay(payment_id, card).status, range(2)))
    assert (both, charges(payment_id)) == (["paid", "paid"], 1)

    async def at_once() -> list[str]:
        async with AsyncCardPayments(api_key=API_KEY, base_url=URL) as cp:
            pays = [cp.payments.pay_and_wait(payment_id, card) for _ in range(2)]
            return [outcome.status for outcome in await asyncio.gather(*pays)]

    payment_id, card = shop.captured()
    assert (asyncio.run(at_once()), charges(payment_id)) == (["paid", "paid"], 1)
    shop.close()


def test_a_challenge_has_an_address_and_is_recovered_when_it_is_completed(shop: Shop) -> None:
    payment_id, card = shop.captured(CHALLENGED)
    outcome = shop.pay(payment_id, card)
    assert isinstance(outcome, outcomes.RequiresAction)
    assert outcome.action_url.startswith(f"{URL}/a/")
    shop.run(lambda cp: cp.sandbox.answer_challenge(payment_id, result="authenticated"))
    assert shop.recover(payment_id).status == "paid"


def test_a_payment_is_found_again_after_the_service_has_forgotten_its_key(shop: Shop) -> None:
    order = shop.order()
    first = shop.run(lambda cp: cp.payments.create_once(order["reference"], **order))
    # As after 24 hours.
    control("forget-keys")
    assert shop.run(lambda cp: cp.payments.create_once(order["reference"], **order)) == first
    page = shop.run(lambda cp: cp.payments.search(reference=order["reference"]))
    assert len(page.data) == 1


def test_a_hosted_payment_is_recovered_by_its_id(shop: Shop) -> None:
    order = shop.order("hosted")
    made = shop.run(lambda cp: cp.payments.create_once(order["reference"], **order))
    assert shop.recover(made.id, 0.5) == outcomes.Unknown(payment_id=made.id, checkout_status="open")
    shop.run(lambda cp: cp.sandbox.set_outcome(made.id, outcome="paid"))
    assert shop.recover(made.id).status == "paid"


def test_a_payment_is_expired_only_after_its_attempt_is_over(shop: Shop) -> None:
    payment_id, _ = shop.captured()
    shop.run(lambda cp: cp.sandbox.advance_clock(payment_id, by_seconds=1_800))
    assert shop.recover(payment_id) == outcomes.Expired(
        payment_id=payment_id, terminal_reason="checkout_expired"
    )


def test_a_refused_key_and_another_id_are_typed_errors() -> None:
    with CardPayments(api_key="cps_live_x", base_url=URL) as wrong, pytest.raises(AuthenticationError):
        wrong.payments.recover(str(uuid4()))
    with CardPayments(api_key=API_KEY, base_url=URL) as cp:
        with pytest.raises(NotFoundError):
            cp.payments.recover(str(uuid4()))
        with pytest.raises(ValidationError) as caught:
            cp.payments.create(
                amount_cents=1,
                currency="USD",
                reference="r",
                success_url="https://a.b",
                cancel_url="https://a.b",
                idempotency_key=uuid4().hex,
            )
        assert (caught.value.field, caught.value.recovery) == ("amountCents", "fix_request")


def test_models_know_every_member_of_what_the_service_answers(shop: Shop) -> None:
    payment_id, card = shop.captured()
    shop.pay(payment_id, card)
    read = [
        shop.run(lambda cp: cp.payments.retrieve(payment_id)),
        shop.run(lambda cp: cp.payments.timeline(payment_id)),
        shop.run(lambda cp: cp.payments.status(payment_id)),
        shop.run(lambda cp: cp.payments.checkout(payment_id)),
        shop.run(lambda cp: cp.branding.retrieve()),
        *shop.run(lambda cp: cp.events.list(payment_id=payment_id)).data,
    ]
    assert [model.extra for model in read] == [{}] * len(read)
    assert not any(isinstance(model, models.UnknownEvent) for model in read)
    assert isinstance(read[0].customer, models.PaymentCustomer)


def test_an_event_of_the_log_is_verified_as_its_webhook_carries_it() -> None:
    shop = Shop("sync")
    payment_id, card = shop.captured()
    shop.pay(payment_id, card)
    headers = {"Authorization": f"Bearer {API_KEY}"}
    query = {"paymentId": payment_id, "type": "payment.paid"}
    [event] = httpx.get(f"{URL}/v1/events", params=query, headers=headers).json()["data"]
    body = json.dumps(event)
    signature = {**signed(body=body), "webhook-id": event["id"]}
    assert signature["webhook-id"] == event["id"]
    known = shop.run(lambda cp: cp.events.retrieve(event["id"]))
    assert isinstance(known, models.PaymentPaidEvent)
    assert known.data.id == payment_id
    shop.close()


def test_no_log_of_the_client_or_of_httpx_has_a_secret(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    order = shop.order()
    made = shop.run(lambda cp: cp.payments.create_once(order["reference"], **order))
    access = shop.run(lambda cp: cp.payments.prepare_capture(made.id))
    card = shop.run(
        lambda cp: cp.vault.capture(access, number=VISA, cvv="123", expiry_month=12, expiry_year=2040)
    )
    assert shop.pay(made.id, card).status == "paid"
    assert access.capture is not None
    secrets = [API_KEY, VISA, access.capture.secret, card.card_token]
    assert len(caplog.records) > 10
    assert [secret for secret in secrets if secret in caplog.text] == []


def test_the_samples_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARD_PAYMENTS_API_KEY", API_KEY)
    monkeypatch.setenv("CARD_PAYMENTS_URL", URL)
    names: dict[str, Any] = {}
    clients: list[CardPayments] = []
    for block in readme_blocks():
        # Those that define no function call the service themselves.
        own: dict[str, Any] = {}
        exec(compile(block, "README.md", "exec"), own)
        names |= own
        clients += [own["cp"]] if "cp" in own else []
    order_id = f"order-{uuid4()}"
    assert names["checkout"](order_id, 2500).startswith(f"{URL}/c/")
    shop = Shop("sync")
    order = shop.order()
    custom = shop.run(lambda cp: cp.payments.create_once(order["reference"], **order))
    assert names["pay_by_card"](custom.id, VISA, "123", 12, 2040).status == "paid"
    fulfilled: list[str] = []
    pending = [(order["reference"], custom.id, 2500), (order["reference"], custom.id, 2600)]
    names["reconcile"](pending, fulfilled.append)
    assert fulfilled == [order["reference"]]
    assert names["refund"](order["reference"], custom.id) in ("pending", "succeeded")
    body = json.dumps({"id": "evt_5g5SLmIUyUPNOjKUl2iEhwBJ", "type": "payment.new", "data": {}})
    assert names["receive"](body.encode(), signed(body=body), SECRET) == 204
    assert names["receive"](b"{}", signed(body=body), SECRET) == 400
    assert verify_webhook(body, signed(body=body), SECRET).type == "payment.new"
    for client in clients:
        client.close()
    shop.close()
