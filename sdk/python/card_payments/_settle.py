"""Finding the outcome of one payment within a time.

Every read is repeated until it is answered or the time is over. The last answer decides, never a failed
call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from ._errors import (
    APIConnectionError,
    APIError,
    CardPaymentsError,
    ConflictError,
    GoneError,
    NotFoundError,
    RateLimitError,
    ServiceUnavailableError,
    invalid_argument,
)
from ._flow import Flow, Sleep
from ._settings import Settings, is_seconds
from ._transport import WAIT_SLACK_SECONDS, Call, Options, WithResponse, back_off, send_for
from ._vault import CaptureCard, card_body
from .models import AttemptFailed, Checkout, CheckoutState, Payment, Timeline, parse_attempt_result
from .outcomes import Declined, Expired, Failed, Outcome, Paid, RequiresAction, Unknown

T = TypeVar("T")

# The service holds a status read at most this long.
_LONGEST_WAIT_SECONDS = 25
_SHORTEST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0


def pay_and_wait(settings: Settings, id: str, card: CaptureCard, timeout: float) -> Flow[Outcome]:
    """Pays and waits for the outcome."""
    return (yield from _Settling(settings, id, timeout).pay(card_body(card)))


def recover(settings: Settings, id: str, timeout: float) -> Flow[Outcome]:
    """Waits for the outcome of a payment of which only the id is known."""
    return (yield from _Settling(settings, id, timeout).recover())


class _Settling:
    def __init__(self, settings: Settings, id: str, timeout: float) -> None:
        if not is_seconds(timeout):
            raise invalid_argument("timeout", "timeout must be a number of seconds.")
        # Calls that are safe to repeat are repeated here, within the time.
        self._settings = replace(settings, max_retries=0)
        self._id = id
        self._ends_at = time.monotonic() + timeout
        self._faults = 0
        self._checkout_status: str | None = None

    def pay(self, card: Mapping[str, str]) -> Flow[Outcome]:
        """Pays and waits for the outcome.

        Pay is sent only while nothing is under way. It is sent again only while the service has counted no
        attempt since the first read, so a pay that arrived is not repeated when its answer is lost.
        """
        state = yield from self._status()
        attempts_at_first = 0 if state is None else _attempts_left(state)
        is_refused = False
        while state is not None and not self._is_over():
            outcome = yield from self._outcome_of(state)
            if outcome is not None:
                return outcome
            # Open or failed_retryable: nothing is under way and an attempt may begin.
            if state.status not in ("open", "failed_retryable"):
                state = yield from self._change(state)
                continue
            if _attempts_left(state) < attempts_at_first:
                return (yield from self._declined(state))
            if is_refused:
                return Expired(payment_id=self._id, terminal_reason=None)
            answer = yield from self._send_pay(card)
            if not isinstance(answer, str):
                return answer
            is_refused = answer == "closed"
            state = yield from self._status()
        return self._unknown()

    def recover(self) -> Flow[Outcome]:
        """Waits for the outcome of a payment of which only the id is known."""
        try:
            state = yield from self._status()
        except NotFoundError:
            # A hosted payment has no checkout status.
            return (yield from self._recover_hosted())
        while state is not None:
            if state.status == "failed_retryable":
                return (yield from self._declined(state))
            outcome = yield from self._outcome_of(state)
            if outcome is not None:
                return outcome
            state = yield from self._change(state)
        return self._unknown()

    def _outcome_of(self, state: CheckoutState) -> Flow[Outcome | None]:
        """Returns the outcome that a state alone implies; None when it implies none."""
        self._checkout_status = state.status
        if state.status == "paid":
            return (yield from self._paid())
        if state.status == "expired":
            return (yield from self._closed(state.terminal_reason))
        if state.status == "requiresAction":
            return (yield from self._action())
        # Open, processing, or a status that this version does not know.
        return None

    def _send_pay(self, card: Mapping[str, str]) -> Flow[Outcome | Literal["closed", "unclear"]]:
        """Sends pay once.

        Returns its outcome, `closed` after 410, and `unclear` when the status must decide.
        """
        call = self._call("POST", "/pay", body=card)
        failed: CardPaymentsError
        try:
            result = (yield from send_for(self._settings, call, parse_attempt_result)).data
        except (APIError, APIConnectionError) as error:
            failed = error
        else:
            if result.status == "paid":
                return (yield from self._paid())
            if isinstance(result, AttemptFailed):
                return (yield from self._failed_attempt(result))
            return (yield from self._action()) or "unclear"
        if isinstance(failed, GoneError):
            return "closed"
        if not isinstance(failed, ConflictError) and not _is_transient(failed):
            raise failed
        yield from self._pause_after(failed)
        return "unclear"

    def _failed_attempt(self, result: AttemptFailed) -> Flow[Outcome]:
        """A failed attempt may have been the last one, or may have failed the payment for good."""
        state = yield from self._status()
        if state is not None and state.status == "expired":
            closed = yield from self._closed(state.terminal_reason)
            if isinstance(closed, Failed):
                return replace(closed, failure_code=result.failure_code)
        return Declined(
            payment_id=self._id, attempts_left=result.attempts_left, failure_code=result.failure_code
        )

    def _paid(self) -> Flow[Outcome]:
        payment = yield from self._read(Payment.from_json, "")
        return self._unknown() if payment is None else Paid(payment_id=self._id, payment=payment)

    def _action(self) -> Flow[Outcome | None]:
        checkout = yield from self._read(Checkout.from_json, "/checkout")
        if checkout is None:
            return self._unknown()
        # Without an address the step has ended in the meantime.
        if checkout.action_url is None:
            return None
        return RequiresAction(payment_id=self._id, action_url=checkout.action_url)

    def _declined(self, state: CheckoutState) -> Flow[Outcome]:
        timeline = yield from self._read(Timeline.from_json, "/timeline")
        return Declined(
            payment_id=self._id,
            attempts_left=state.attempts_left,
            failure_code=_last_failure_code(timeline),
        )

    def _closed(self, terminal_reason: str | None) -> Flow[Outcome | None]:
        """Returns the outcome of a closed checkout.

        None while an attempt is under way that may take the money.
        """
        timeline = yield from self._read(Timeline.from_json, "/timeline")
        # A timeline without its payment does not show the outcome.
        if timeline is None or not isinstance(timeline.payment, Payment):
            return self._unknown()
        payment = timeline.payment
        if payment.status == "failed":
            return Failed(payment_id=self._id, failure_code=payment.failure_code)
        if payment.status not in ("pending", "requiresAction"):
            return (yield from self._paid())
        if timeline.waiting_for is not None:
            return None
        return Expired(payment_id=self._id, terminal_reason=terminal_reason)

    def _recover_hosted(self) -> Flow[Outcome]:
        """A hosted payment has no checkout status, so its timeline shows what it waits for."""
        wait = 2.0
        while not self._is_over():
            payment = yield from self._read(Payment.from_json, "")
            is_usable = payment is not None and bool(payment.checkout_url)
            is_open = is_usable and payment is not None and payment.status == "pending"
            self._checkout_status = "open" if is_open else None
            if payment is not None and payment.checkout_url and payment.status == "requiresAction":
                return RequiresAction(payment_id=self._id, action_url=payment.checkout_url)
            outcome = yield from self._closed(None)
            if outcome is not None:
                return outcome
            yield from self._pause(min(wait, _LONGEST_PAUSE))
            wait *= 2
        return self._unknown()

    def _status(self, wait_seconds: int | None = None) -> Flow[CheckoutState | None]:
        return self._read(CheckoutState.from_json, "/status", {"waitSeconds": wait_seconds})

    def _change(self, state: CheckoutState) -> Flow[CheckoutState | None]:
        """Returns the state when it has changed or the service stops holding the read."""
        started_at = time.monotonic()
        wait_seconds = min(_LONGEST_WAIT_SECONDS, int(self._left()))
        following = yield from self._status(wait_seconds if wait_seconds >= 1 else None)
        is_same = following is not None and following.status == state.status
        # The service answers at once for a closed checkout, and when too many calls already wait.
        if is_same and time.monotonic() - started_at < _SHORTEST_PAUSE:
            yield from self._pause(1.0)
        return following

    def _read(
        self, parse: Callable[[Any], T], what: str, query: Mapping[str, object] | None = None
    ) -> Flow[T | None]:
        """Reads until there is an answer. Returns None when the time is over."""
        while not self._is_over():
            failed: CardPaymentsError
            try:
                answer: WithResponse[T] = yield from send_for(
                    self._settings, self._call("GET", what, query=query), parse
                )
            except (APIError, APIConnectionError) as error:
                failed = error
            else:
                self._faults = 0
                return answer.data
            if not _is_transient(failed):
                raise failed
            yield from self._pause_after(failed)
        return None

    def _call(
        self,
        method: str,
        what: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Call:
        timeout = max(0.001, min(self._left(), _LONGEST_WAIT_SECONDS + WAIT_SLACK_SECONDS))
        return Call(
            method=method,
            path=f"/v1/payments/{{id}}{what}",
            id=self._id,
            query=query or {},
            body=body,
            options=Options(timeout=timeout),
        )

    def _pause_after(self, error: CardPaymentsError) -> Flow[None]:
        seconds = error.retry_after_seconds if isinstance(error, APIError) else None
        self._faults += 1
        yield from self._pause(back_off(self._faults - 1) if seconds is None else float(seconds))

    def _pause(self, seconds: float) -> Flow[None]:
        yield Sleep(max(0.0, min(seconds, self._left())))

    def _left(self) -> float:
        return self._ends_at - time.monotonic()

    def _is_over(self) -> bool:
        return self._left() <= 0

    def _unknown(self) -> Outcome:
        return Unknown(payment_id=self._id, checkout_status=self._checkout_status)


def _attempts_left(state: CheckoutState) -> int:
    """Returns the number of attempts that are left; 0 when the answer has none."""
    return state.attempts_left if isinstance(state.attempts_left, int) else 0


def _is_transient(error: CardPaymentsError) -> bool:
    """Whether a failed call reveals nothing about the payment, so that the next call may be answered."""
    return isinstance(error, (APIConnectionError, RateLimitError, ServiceUnavailableError))


def _last_failure_code(timeline: Timeline | None) -> str | None:
    """Returns the reason of the last decline from the timeline."""
    entries = [] if timeline is None else timeline.entries
    codes = [entry.detail.get("failureCode") for entry in entries if entry.kind.startswith("attempt.")]
    code = codes[-1] if codes else None
    return code if isinstance(code, str) else None
