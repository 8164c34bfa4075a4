"""A service of made-up answers, and both clients in front of it."""

from __future__ import annotations

import asyncio
import inspect
import json
import traceback
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import httpx
from card_payments import AsyncCardPayments, CaptureCard, CardPayments

API_KEY = "cps_sandbox_abcdefgh_0123456789012345678901234567890123456789012ABCDEF"
PAYMENT_ID = "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90"
CARD = CaptureCard(card_token="tok_5f0c2b7e9a41d83c", capture_reference="cap_8Jd02mKq")
ORDER: dict[str, Any] = {
    "amount_cents": 2500,
    "currency": "USD",
    "reference": "order-1001",
    "success_url": "https://shop.example/thanks",
    "cancel_url": "https://shop.example/cart",
}


class Sent:
    """A request as the service got it."""

    def __init__(self, request: httpx.Request) -> None:
        self.method = request.method
        self.path = request.url.path
        self.query = {name: values[0] for name, values in parse_qs(request.url.query.decode()).items()}
        self.headers = request.headers
        self.body = json.loads(request.content) if request.content else None


Respond = Callable[[Sent, int], httpx.Response]


class Service:
    """Answers the requests of one of the two clients with `respond`, and keeps them."""

    def __init__(self, kind: str, respond: Respond, **options: Any) -> None:
        self.kind = kind
        self.sent: list[Sent] = []
        self._respond = respond
        self._options = {"api_key": API_KEY, "base_url": "https://pay.example", **options}

    def run(self, call: Callable[[Any], Any]) -> Any:
        """Returns what a call of the client gives: at once, or when it is awaited."""
        transport = httpx.MockTransport(self._handle)
        if self.kind == "sync":
            with httpx.Client(transport=transport) as client:
                return call(CardPayments(http_client=client, **self._options))

        async def awaited() -> Any:
            async with httpx.AsyncClient(transport=transport) as client:
                result = call(AsyncCardPayments(http_client=client, **self._options))
                return await result if inspect.isawaitable(result) else result

        return asyncio.run(awaited())

    def fails(self, call: Callable[[Any], Any]) -> tuple[Exception, str]:
        """Returns what a call raises, and everything of it as text."""
        try:
            self.run(call)
        except Exception as error:
            text = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
            context = error.__context__
            while context is not None:
                text += repr(context) + repr(vars(context))
                context = context.__context__
            return error, text
        raise AssertionError("nothing was raised")

    def pays(self) -> int:
        """How many pays were sent."""
        return sum(request.path.endswith("/pay") for request in self.sent)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        sent = Sent(request)
        self.sent.append(sent)
        return self._respond(sent, len(self.sent))


def data(value: object, **headers: str) -> httpx.Response:
    """An answer of the service."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return httpx.Response(200, json={"data": value}, headers={"request-id": "req_1", **named})


def listed(rows: list[Any], meta: object) -> httpx.Response:
    """A page of a list."""
    return httpx.Response(200, json={"data": rows, "meta": meta}, headers={"request-id": "req_1"})


def refusal(status: int, code: str, field: str | None = None, **headers: str) -> httpx.Response:
    """A refusal of the service."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    error = {"code": code, "message": f"Refused: {code}.", **({} if field is None else {"field": field})}
    return httpx.Response(status, json={"error": error}, headers={"request-id": "req_1", **named})


def cut() -> httpx.Response:
    """A connection that ends before an answer, with a fault that quotes the request."""
    raise httpx.ReadError(f"Bearer {API_KEY} 4242424242424242 cs_4nQ8vB1xT6yR3wZ0")


def checkout_state(status: str, attempts_left: int = 5) -> httpx.Response:
    """The status of a card capture."""
    state = {"paymentId": PAYMENT_ID, "status": status, "attemptsLeft": attempts_left}
    return data({**state, "expiresAt": "2026-03-01T12:30:00.000Z", "action": None})


def payment(status: str, **more: object) -> dict[str, object]:
    """A payment as the service has it."""
    return {
        "id": PAYMENT_ID,
        "reference": "order-1001",
        "status": status,
        "amountCents": 2500,
        "currency": "USD",
        "checkoutUrl": None,
        "failureCode": None,
        "metadata": {},
        "expiresAt": "2026-03-01T12:30:00.000Z",
        "environment": "sandbox",
        **more,
    }
