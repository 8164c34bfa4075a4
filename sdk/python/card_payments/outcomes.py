"""The state of a payment, distinguished by `status`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .models import Payment, TerminalReason


@dataclass(frozen=True, kw_only=True)
class Paid:
    """The customer's money was taken. Fulfill the order once, when `payment.status` is `paid`."""

    payment_id: str
    payment: Payment
    """As read from the service. Compare its reference, amount and currency with your order."""
    status: Literal["paid"] = "paid"


@dataclass(frozen=True, kw_only=True)
class RequiresAction:
    """The customer must complete a step. Send the browser to `action_url`, then call `recover`."""

    payment_id: str
    action_url: str = field(repr=False)
    status: Literal["requiresAction"] = "requiresAction"


@dataclass(frozen=True, kw_only=True)
class Declined:
    """The attempt was declined and nothing was charged. The same card may be tried again."""

    payment_id: str
    attempts_left: int
    failure_code: str | None
    """None when the service does not know it."""
    status: Literal["declined"] = "declined"


@dataclass(frozen=True, kw_only=True)
class Failed:
    """The payment failed for good and nothing was charged. A new payment may be created."""

    payment_id: str
    failure_code: str | None
    status: Literal["failed"] = "failed"


@dataclass(frozen=True, kw_only=True)
class Expired:
    """The checkout is closed, nothing was charged and nothing is under way. A new payment may be created."""

    payment_id: str
    terminal_reason: TerminalReason | str | None
    """None when only the access to card capture is over, and for hosted payments."""
    status: Literal["expired"] = "expired"


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """The result is not known yet: the money may have been taken.

    Keep the order pending and call `recover` later. Do not create another payment for the order.
    """

    payment_id: str
    checkout_status: str | None
    """The last checkout status that was read: `open` when no attempt was made. None when none was read."""
    status: Literal["unknown"] = "unknown"


Outcome: TypeAlias = Paid | RequiresAction | Declined | Failed | Expired | Unknown
