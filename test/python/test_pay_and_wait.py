from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from card_payments import AsyncCardPayments, AuthenticationError, ValidationError, outcomes

from fake_service import (
    CARD,
    PAYMENT_ID,
    Sent,
    Service,
    checkout_state,
    cut,
    data,
    payment,
    refusal,
)

PAID = {"status": "paid", "paymentId": PAYMENT_ID}


class Checkout(Service):
    """A service with one checkout. `pays` answer the pays in turn, each by what it does to the checkout."""

    def __init__(self, kind: str, *pays: Callable[[Checkout], httpx.Response], status: str = "open") -> None:
        super().__init__(kind, self._answer)
        self.status = status
        self.attempts_left = 5
        self.payment_status: str | None = None
        self.failure_code: str | None = None
        self.waiting_for: object = None
        self.on_status: Callable[[Sent], None] = lambda _: None
        self._pays = list(pays)

    def now(self, status: str, attempts_left: int = 5) -> None:
        """Changes the checkout."""
        self.status, self.attempts_left = status, attempts_left

    def pay(self, timeout: float = 30.0) -> Any:
        """Returns the outcome of pay_and_wait."""
        return self.run(lambda cp: cp.payments.pay_and_wait(PAYMENT_ID, CARD, timeout=timeout))

    def recover(self, timeout: float = 30.0) -> Any:
        """Returns the outcome of recover."""
        return self.run(lambda cp: cp.payments.recover(PAYMENT_ID, timeout=timeout))

    def _answer(self, request: Sent, _: int) -> httpx.Response:
        what = request.path.removeprefix(f"/v1/payments/{PAYMENT_ID}").removeprefix("/")
        if what == "pay":
            return self._pays.pop(0)(self)
        if what == "status":
            self.on_status(request)
            return checkout_state(self.status, self.attempts_left)
        if what == "checkout":
            return data({"paymentId": PAYMENT_ID, "actionUrl": "https://pay.example/a/1"})
        known = payment(
            self.payment_status or ("paid" if self.status == "paid" else "pending"),
            failureCode=self.failure_code,
        )
        if what != "timeline":
            return data(known)
        entries = [{"kind": "attempt.declined", "detail": {"failureCode": "card_declined"}}]
        return data({"payment": known, "waitingFor": self.waiting_for, "entries": entries})


def takes_the_money(checkout: Checkout) -> httpx.Response:
    checkout.now("paid")
    return data(PAID)


def takes_the_money_and_is_cut(checkout: Checkout) -> httpx.Response:
    checkout.now("paid")
    return cut()


def never_arrives(_: Checkout) -> httpx.Response:
    return cut()


def fails(checkout: Checkout, status: str, code: str) -> httpx.Response:
    checkout.now(status, 4)
    attempt = {"status": "failed", "paymentId": PAYMENT_ID, "failureCode": code}
    return data({**attempt, "message": "The card was declined.", "attemptsLeft": 4})


class TestPayAndWait:
    def test_returns_a_paid_payment_as_it_was_read_from_the_service(self, kind: str) -> None:
        checkout = Checkout(kind, takes_the_money)
        outcome = checkout.pay()
        assert isinstance(outcome, outcomes.Paid)
        assert (outcome.status, outcome.payment_id, outcome.payment.status) == ("paid", PAYMENT_ID, "paid")
        assert checkout.pays() == 1

    def test_finds_the_charge_of_a_pay_whose_answer_was_lost_and_does_not_pay_again(self, kind: str) -> None:
        checkout = Checkout(kind, takes_the_money_and_is_cut)
        assert checkout.pay().status == "paid"
        assert checkout.pays() == 1

    def test_pays_again_when_the_pay_never_arrived(self, kind: str) -> None:
        checkout = Checkout(kind, never_arrives, takes_the_money)
        assert checkout.pay().status == "paid"
        assert checkout.pays() == 2

    def test_does_not_pay_again_when_the_lost_pay_used_an_attempt(self, kind: str) -> None:
        def uses_an_attempt(checkout: Checkout) -> httpx.Response:
            checkout.now("failed_retryable", 4)
            return refusal(503, "service_unavailable", recovery="read_status")

        checkout = Checkout(kind, uses_an_attempt)
        assert checkout.pay() == outcomes.Declined(
            payment_id=PAYMENT_ID, attempts_left=4, failure_code="card_declined"
        )
        assert checkout.pays() == 1

    def test_joins_an_attempt_that_another_process_has_under_way(self, kind: str) -> None:
        checkout = Checkout(kind, status="processing")
        checkout.on_status = lambda sent: "waitSeconds" in sent.query and checkout.now("failed_retryable", 4)
        assert checkout.pay() == outcomes.Declined(
            payment_id=PAYMENT_ID, attempts_left=4, failure_code="card_declined"
        )
        assert checkout.pays() == 0

    def test_waits_by_long_poll_after_409(self, kind: str) -> None:
        statuses = ["open", "processing", "processing", "paid"]
        checkout = Checkout(kind, lambda _: refusal(409, "payment_in_progress", recovery="read_status"))
        checkout.on_status = lambda _: checkout.now(statuses.pop(0))
        assert checkout.pay().status == "paid"
        assert "25" in [request.query.get("waitSeconds") for request in checkout.sent]
        assert checkout.pays() == 1

    def test_returns_the_address_of_a_step_that_the_customer_must_complete(self, kind: str) -> None:
        def requires_action(checkout: Checkout) -> httpx.Response:
            checkout.now("requiresAction")
            return data({"status": "requiresAction", "paymentId": PAYMENT_ID, "clientSecret": "s"})

        outcome = Checkout(kind, requires_action).pay()
        assert outcome == outcomes.RequiresAction(payment_id=PAYMENT_ID, action_url="https://pay.example/a/1")
        assert "/a/1" not in repr(outcome)

    def test_distinguishes_a_decline_from_a_payment_that_failed_for_good(self, kind: str) -> None:
        for_good = Checkout(kind, lambda checkout: fails(checkout, "expired", "lost_card"))
        for_good.payment_status, for_good.failure_code = "failed", "lost_card"
        assert for_good.pay() == outcomes.Failed(payment_id=PAYMENT_ID, failure_code="lost_card")
        declined = Checkout(kind, lambda checkout: fails(checkout, "failed_retryable", "card_declined"))
        assert declined.pay() == outcomes.Declined(
            payment_id=PAYMENT_ID, attempts_left=4, failure_code="card_declined"
        )

    def test_calls_a_checkout_expired_only_when_nothing_is_under_way(self, kind: str) -> None:
        idle = Checkout(kind, status="expired")
        assert idle.pay() == outcomes.Expired(payment_id=PAYMENT_ID, terminal_reason=None)
        in_flight = Checkout(kind, status="expired")
        in_flight.waiting_for = {"who": "network"}
        assert in_flight.pay(0.3) == outcomes.Unknown(payment_id=PAYMENT_ID, checkout_status="expired")

    def test_calls_a_payment_expired_whose_capture_access_is_over(self, kind: str) -> None:
        checkout = Checkout(kind, lambda _: refusal(410, "checkout_expired"))
        assert checkout.pay() == outcomes.Expired(payment_id=PAYMENT_ID, terminal_reason=None)
        assert checkout.pays() == 1

    def test_returns_unknown_and_raises_nothing_when_the_time_is_over(self, kind: str) -> None:
        def is_under_way(checkout: Checkout) -> httpx.Response:
            checkout.now("processing")
            return refusal(503, "service_unavailable")

        checkout = Checkout(kind, is_under_way)
        assert checkout.pay(1.0) == outcomes.Unknown(payment_id=PAYMENT_ID, checkout_status="processing")
        unreachable = Service(kind, lambda *_: cut())
        outcome = unreachable.run(lambda cp: cp.payments.pay_and_wait(PAYMENT_ID, CARD, timeout=0.3))
        assert outcome == outcomes.Unknown(payment_id=PAYMENT_ID, checkout_status=None)
        assert unreachable.pays() == 0

    def test_returns_unknown_for_a_status_that_this_version_does_not_know(self, kind: str) -> None:
        outcome = Checkout(kind, status="underReview").pay(0.3)
        assert outcome == outcomes.Unknown(payment_id=PAYMENT_ID, checkout_status="underReview")

    def test_raises_401_and_422(self, kind: str) -> None:
        checkout = Checkout(kind, lambda _: refusal(422, "card_token_rejected", recovery="ask_customer"))
        error, text = checkout.fails(lambda cp: cp.payments.pay_and_wait(PAYMENT_ID, CARD))
        assert isinstance(error, ValidationError)
        assert (error.code, error.recovery) == ("card_token_rejected", "ask_customer")
        assert CARD.card_token not in text
        revoked = Service(kind, lambda *_: refusal(401, "unauthorized"))
        error, _ = revoked.fails(lambda cp: cp.payments.pay_and_wait(PAYMENT_ID, CARD))
        assert isinstance(error, AuthenticationError)

    def test_sends_nothing_more_when_its_task_is_canceled_and_recover_goes_on(self) -> None:
        async def canceled() -> tuple[list[str], str]:
            began = asyncio.Event()
            calls: list[str] = []
            status = "open"

            async def respond(request: httpx.Request) -> httpx.Response:
                nonlocal status
                calls.append(f"{request.method} {request.url.path}")
                if request.method == "POST":
                    status = "paid"
                    began.set()
                    await asyncio.Event().wait()
                return (
                    checkout_state(status) if request.url.path.endswith("status") else data(payment("paid"))
                )

            async with httpx.AsyncClient(transport=httpx.MockTransport(respond)) as client:
                cp = AsyncCardPayments(api_key="k", base_url="https://a.b", http_client=client)
                task = asyncio.ensure_future(cp.payments.pay_and_wait(PAYMENT_ID, CARD))
                await began.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                sent = list(calls)
                return sent, (await cp.payments.recover(PAYMENT_ID)).status

        sent, status = asyncio.run(canceled())
        assert (len(sent), status) == (2, "paid")


class TestRecover:
    def test_returns_the_outcome_with_the_id_alone(self, kind: str) -> None:
        checkout = Checkout(kind)
        checkout.now("failed_retryable", 3)
        assert checkout.recover() == outcomes.Declined(
            payment_id=PAYMENT_ID, attempts_left=3, failure_code="card_declined"
        )
        checkout.now("paid")
        assert checkout.recover().status == "paid"

    def test_waits_while_no_attempt_was_made_and_calls_that_unknown(self, kind: str) -> None:
        assert Checkout(kind).recover(0.3) == outcomes.Unknown(payment_id=PAYMENT_ID, checkout_status="open")

    @pytest.mark.parametrize(
        ("known", "waiting_for", "expected"),
        [
            (payment("paid"), None, {"status": "paid"}),
            (payment("refunded"), None, {"status": "paid"}),
            (
                payment("failed", failureCode="lost_card"),
                None,
                {"status": "failed", "failure_code": "lost_card"},
            ),
            (payment("pending"), None, {"status": "expired", "terminal_reason": None}),
            (
                payment("requiresAction", checkoutUrl="https://pay.example/c/1"),
                {"who": "customer"},
                {"status": "requiresAction", "action_url": "https://pay.example/c/1"},
            ),
            (payment("pending"), {"who": "network"}, {"status": "unknown", "checkout_status": None}),
        ],
    )
    def test_of_a_hosted_payment(self, kind: str, known: Any, waiting_for: Any, expected: Any) -> None:
        def respond(request: Sent, _: int) -> httpx.Response:
            if request.path.endswith("/status"):
                return refusal(404, "not_found")
            timeline = {"payment": known, "waitingFor": waiting_for, "entries": []}
            return data(timeline if request.path.endswith("/timeline") else known)

        service = Service(kind, respond)
        outcome = service.run(lambda cp: cp.payments.recover(PAYMENT_ID, timeout=0.3))
        assert expected.items() <= vars(outcome).items()
