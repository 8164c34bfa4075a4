# Written by `npm run sdk:python` from the OpenAPI document of the service. Do not edit.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, TypedDict

from ._model import Fields, Model, UnknownKind, UnknownModel, each, one_of

ErrorCode: TypeAlias = Literal[
    "invalid_request",
    "invalid_query",
    "unauthorized",
    "insufficient_scope",
    "address_not_allowed",
    "cap_reached",
    "not_found",
    "idempotency_in_progress",
    "idempotency_key_reused",
    "payment_in_progress",
    "action_required",
    "confirmation_in_progress",
    "confirmation_not_required",
    "result_pending",
    "checkout_expired",
    "attempts_exhausted",
    "validation_failed",
    "card_token_rejected",
    "rate_limited",
    "too_many_declines",
    "service_unavailable",
    "payment_not_refundable",
    "refund_not_cancelable",
    "evidence_already_submitted",
    "sandbox_not_applicable",
    "dispute_closed",
    "evidence_past_due",
]
"""What is known today; new values may appear.

- `invalid_request`: The request is malformed.
- `invalid_query`: A query parameter is invalid.
- `unauthorized`: A valid API key is required.
- `insufficient_scope`: This key has no scope for this call.
- `address_not_allowed`: This key may not be used from this address.
- `cap_reached`: This key has reached what it may refund in a day. The day ends at midnight UTC.
- `not_found`: Not found.
- `idempotency_in_progress`: The first request with this Idempotency-Key is still running. Retry
  with the same key and body.
- `idempotency_key_reused`: This Idempotency-Key was already used with a different request. Use a
  new key.
- `payment_in_progress`: An attempt is being processed. Poll the status.
- `action_required`: The customer must complete the open action first.
- `confirmation_in_progress`: A confirmation is being processed. Poll the status.
- `confirmation_not_required`: There is nothing to confirm.
- `result_pending`: The result of the previous attempt is being reconciled. Poll the status.
- `checkout_expired`: The checkout or its capture access has expired or is closed. Read the payment
  before you create another.
- `attempts_exhausted`: No attempts are left. Read the payment before you create another.
- `validation_failed`: A field is invalid.
- `card_token_rejected`: The card token cannot be used for this payment. Read the checkout and
  capture the card again.
- `rate_limited`: Too many requests. Retry after the time in Retry-After.
- `too_many_declines`: Too many cards were declined. Retry after the time in Retry-After.
- `service_unavailable`: A dependency is unavailable. The request may still be processed, so read
  the status before you retry.
- `payment_not_refundable`: This payment cannot be refunded in its current status.
- `refund_not_cancelable`: This refund was already submitted and can no longer be canceled.
- `evidence_already_submitted`: Evidence was already submitted for this dispute.
- `sandbox_not_applicable`: This simulation does not apply to the current status.
- `dispute_closed`: This dispute is closed.
- `evidence_past_due`: The deadline for evidence has passed.
"""

Environment: TypeAlias = Literal[
    "sandbox",
    "live",
]

CheckoutMode: TypeAlias = Literal[
    "hosted",
    "custom",
]

Locale: TypeAlias = Literal[
    "en",
    "es",
    "pt",
    "auto",
]

PaymentStatus: TypeAlias = Literal[
    "pending",
    "requiresAction",
    "paid",
    "failed",
    "refunded",
    "partiallyRefunded",
    "disputed",
    "disputeWon",
    "disputeLost",
]

PaymentMethod: TypeAlias = Literal[
    "card",
    "wallet",
    "pix",
]

CheckoutStatus: TypeAlias = Literal[
    "open",
    "processing",
    "requiresAction",
    "paid",
    "failed_retryable",
    "expired",
]

TerminalReason: TypeAlias = Literal[
    "checkout_expired",
    "attempts_exhausted",
    "provider_failed",
]

WaitingParty: TypeAlias = Literal[
    "customer",
    "network",
    "vault",
    "deadline",
    "operator",
]

RefundReason: TypeAlias = Literal[
    "duplicate",
    "fraudulent",
    "requestedByCustomer",
    "other",
]

RefundStatus: TypeAlias = Literal[
    "pending",
    "succeeded",
    "failed",
    "canceled",
]

DisputeStatus: TypeAlias = Literal[
    "needsResponse",
    "underReview",
    "won",
    "lost",
]

DisputeStage: TypeAlias = Literal[
    "inquiry",
    "chargeback",
    "preArbitration",
]

DisputeResolution: TypeAlias = Literal[
    "decided",
    "accepted",
    "withdrawn",
]

MovementType: TypeAlias = Literal[
    "captured",
    "late",
    "refunded",
    "refund_failed",
    "disputed",
    "dispute_won",
    "dispute_lost",
    "fee",
    "payout",
]

EndpointStatus: TypeAlias = Literal[
    "enabled",
    "disabled",
]

DeliveryStatus: TypeAlias = Literal[
    "pending",
    "delivered",
    "failed",
    "canceled",
]

FaultMode: TypeAlias = Literal[
    "timeout",
    "lostResponse",
    "error",
    "slow",
]

NetworkFaultMode: TypeAlias = Literal[
    "timeout",
    "lostResponse",
    "error",
    "slow",
    "duplicateCallback",
    "lateSuccess",
]

FaultTarget: TypeAlias = Literal[
    "vault",
    "network",
    "webhook",
]


@dataclass(frozen=True, kw_only=True)
class PaymentCustomer(Model):
    """Part of another object: `PaymentCustomer`."""

    email: str | None
    name: str | None

    _FIELDS: ClassVar[Fields] = {
        "email": ("email", None),
        "name": ("name", None),
    }


@dataclass(frozen=True, kw_only=True)
class CardIssuer(Model):
    """Facts about the card's issuer; each is null when unknown."""

    bank: str | None
    country_code: str | None
    country_name: str | None
    type: str | None
    level: str | None
    category: str | None
    regulated: str | None

    _FIELDS: ClassVar[Fields] = {
        "bank": ("bank", None),
        "countryCode": ("country_code", None),
        "countryName": ("country_name", None),
        "type": ("type", None),
        "level": ("level", None),
        "category": ("category", None),
        "regulated": ("regulated", None),
    }


@dataclass(frozen=True, kw_only=True)
class LineItem(Model):
    """One line of what is bought."""

    name: str
    quantity: int
    amount_cents: int
    """US cents for the whole line, so its quantity is counted already."""

    _FIELDS: ClassVar[Fields] = {
        "name": ("name", None),
        "quantity": ("quantity", None),
        "amountCents": ("amount_cents", None),
    }


@dataclass(frozen=True, kw_only=True)
class Payment(Model):
    """A payment as stored.

    Fulfill an order only on status `paid`, read with the key of its environment.
    """

    id: str
    reference: str
    status: PaymentStatus | str
    method: PaymentMethod | str | None
    amount_cents: int
    refunded_cents: int
    net_cents: int
    """What you keep of the payment: 0 before it is paid, then its amount without refunds."""
    currency: str
    customer: PaymentCustomer
    metadata: Mapping[str, Any]
    checkout_url: str | None = field(repr=False)
    """For the customer's browser only; null once the checkout can no longer be used."""
    expires_at: str
    """The checkout deadline."""
    card_bin: str | None
    card_issuer: CardIssuer | None
    card_brand: str | None
    card_last4: str | None
    failure_code: str | None
    """Set when the status is `failed`; new values may appear."""
    failure_message: str | None
    created_at: str
    paid_at: str | None
    refunded_at: str | None
    environment: Environment | str
    description: str | None = None
    """Only where it was sent."""
    line_items: list[LineItem] | None = None
    """Only where they were sent."""
    locale: str | None = None
    """Only where the page follows the language of the customer's browser."""
    restored: bool | None = None
    """Only where the service lost the payment and wrote it back: customer, metadata and description
    may be missing.


    """

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "reference": ("reference", None),
        "status": ("status", None),
        "method": ("method", None),
        "amountCents": ("amount_cents", None),
        "refundedCents": ("refunded_cents", None),
        "netCents": ("net_cents", None),
        "currency": ("currency", None),
        "customer": ("customer", PaymentCustomer.from_json),
        "metadata": ("metadata", None),
        "checkoutUrl": ("checkout_url", None),
        "expiresAt": ("expires_at", None),
        "cardBin": ("card_bin", None),
        "cardIssuer": ("card_issuer", CardIssuer.from_json),
        "cardBrand": ("card_brand", None),
        "cardLast4": ("card_last4", None),
        "failureCode": ("failure_code", None),
        "failureMessage": ("failure_message", None),
        "createdAt": ("created_at", None),
        "paidAt": ("paid_at", None),
        "refundedAt": ("refunded_at", None),
        "environment": ("environment", None),
        "description": ("description", None),
        "lineItems": ("line_items", each(LineItem.from_json)),
        "locale": ("locale", None),
        "restored": ("restored", None),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentPendingEvent(Model):
    """The event `payment.pending`."""

    type: Literal["payment.pending"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentRequiresActionEvent(Model):
    """The event `payment.requiresAction`."""

    type: Literal["payment.requiresAction"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaidPaymentDataCustomer(Model):
    """Part of another object: `PaidPaymentDataCustomer`."""

    email: str | None
    name: str | None

    _FIELDS: ClassVar[Fields] = {
        "email": ("email", None),
        "name": ("name", None),
    }


@dataclass(frozen=True, kw_only=True)
class PaidPaymentData(Model):
    """The payment that was paid, without its checkout URL."""

    id: str
    reference: str
    status: PaymentStatus | str
    method: PaymentMethod | str | None
    amount_cents: int
    refunded_cents: int
    net_cents: int
    """What you keep of the payment: 0 before it is paid, then its amount without refunds."""
    currency: str
    customer: PaidPaymentDataCustomer
    metadata: Mapping[str, Any]
    checkout_url: str | None = field(repr=False)
    """For the customer's browser only; null once the checkout can no longer be used."""
    expires_at: str
    """The checkout deadline."""
    card_bin: str | None
    card_issuer: CardIssuer | None
    card_brand: str | None
    card_last4: str | None
    failure_code: str | None
    """Set when the status is `failed`; new values may appear."""
    failure_message: str | None
    created_at: str
    paid_at: str | None
    refunded_at: str | None
    environment: Environment | str
    description: str | None = None
    """Only where it was sent."""
    line_items: list[LineItem] | None = None
    """Only where they were sent."""
    locale: str | None = None
    """Only where the page follows the language of the customer's browser."""
    restored: bool | None = None
    """Only where the service lost the payment and wrote it back: customer, metadata and description
    may be missing.


    """
    late: bool | None = None
    """True when the money was taken after the checkout had closed."""

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "reference": ("reference", None),
        "status": ("status", None),
        "method": ("method", None),
        "amountCents": ("amount_cents", None),
        "refundedCents": ("refunded_cents", None),
        "netCents": ("net_cents", None),
        "currency": ("currency", None),
        "customer": ("customer", PaidPaymentDataCustomer.from_json),
        "metadata": ("metadata", None),
        "checkoutUrl": ("checkout_url", None),
        "expiresAt": ("expires_at", None),
        "cardBin": ("card_bin", None),
        "cardIssuer": ("card_issuer", CardIssuer.from_json),
        "cardBrand": ("card_brand", None),
        "cardLast4": ("card_last4", None),
        "failureCode": ("failure_code", None),
        "failureMessage": ("failure_message", None),
        "createdAt": ("created_at", None),
        "paidAt": ("paid_at", None),
        "refundedAt": ("refunded_at", None),
        "environment": ("environment", None),
        "description": ("description", None),
        "lineItems": ("line_items", each(LineItem.from_json)),
        "locale": ("locale", None),
        "restored": ("restored", None),
        "late": ("late", None),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentPaidEvent(Model):
    """The event `payment.paid`."""

    type: Literal["payment.paid"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: PaidPaymentData

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", PaidPaymentData.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentFailedEvent(Model):
    """The event `payment.failed`."""

    type: Literal["payment.failed"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentRefundedEvent(Model):
    """The event `payment.refunded`."""

    type: Literal["payment.refunded"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentPartiallyRefundedEvent(Model):
    """The event `payment.partiallyRefunded`."""

    type: Literal["payment.partiallyRefunded"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentDisputedEvent(Model):
    """The event `payment.disputed`."""

    type: Literal["payment.disputed"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentDisputeWonEvent(Model):
    """The event `payment.disputeWon`."""

    type: Literal["payment.disputeWon"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentDisputeLostEvent(Model):
    """The event `payment.disputeLost`."""

    type: Literal["payment.disputeLost"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Payment

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Payment.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class UnexpectedCaptureDataCustomer(Model):
    """Part of another object: `UnexpectedCaptureDataCustomer`."""

    email: str | None
    name: str | None

    _FIELDS: ClassVar[Fields] = {
        "email": ("email", None),
        "name": ("name", None),
    }


@dataclass(frozen=True, kw_only=True)
class UnexpectedCapture(Model):
    """Money that the network took and no paid attempt has."""

    attempt_no: int
    """The attempt whose key the network charged."""
    amount_cents: int
    currency: str
    provider_reference: str
    """The id of the charge at the network."""
    captured_at: str | None

    _FIELDS: ClassVar[Fields] = {
        "attemptNo": ("attempt_no", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "providerReference": ("provider_reference", None),
        "capturedAt": ("captured_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class UnexpectedCaptureData(Model):
    """The payment, unchanged, with the capture."""

    id: str
    reference: str
    status: PaymentStatus | str
    method: PaymentMethod | str | None
    amount_cents: int
    refunded_cents: int
    net_cents: int
    """What you keep of the payment: 0 before it is paid, then its amount without refunds."""
    currency: str
    customer: UnexpectedCaptureDataCustomer
    metadata: Mapping[str, Any]
    checkout_url: str | None = field(repr=False)
    """For the customer's browser only; null once the checkout can no longer be used."""
    expires_at: str
    """The checkout deadline."""
    card_bin: str | None
    card_issuer: CardIssuer | None
    card_brand: str | None
    card_last4: str | None
    failure_code: str | None
    """Set when the status is `failed`; new values may appear."""
    failure_message: str | None
    created_at: str
    paid_at: str | None
    refunded_at: str | None
    environment: Environment | str
    description: str | None = None
    """Only where it was sent."""
    line_items: list[LineItem] | None = None
    """Only where they were sent."""
    locale: str | None = None
    """Only where the page follows the language of the customer's browser."""
    restored: bool | None = None
    """Only where the service lost the payment and wrote it back: customer, metadata and description
    may be missing.


    """
    unexpected_capture: UnexpectedCapture

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "reference": ("reference", None),
        "status": ("status", None),
        "method": ("method", None),
        "amountCents": ("amount_cents", None),
        "refundedCents": ("refunded_cents", None),
        "netCents": ("net_cents", None),
        "currency": ("currency", None),
        "customer": ("customer", UnexpectedCaptureDataCustomer.from_json),
        "metadata": ("metadata", None),
        "checkoutUrl": ("checkout_url", None),
        "expiresAt": ("expires_at", None),
        "cardBin": ("card_bin", None),
        "cardIssuer": ("card_issuer", CardIssuer.from_json),
        "cardBrand": ("card_brand", None),
        "cardLast4": ("card_last4", None),
        "failureCode": ("failure_code", None),
        "failureMessage": ("failure_message", None),
        "createdAt": ("created_at", None),
        "paidAt": ("paid_at", None),
        "refundedAt": ("refunded_at", None),
        "environment": ("environment", None),
        "description": ("description", None),
        "lineItems": ("line_items", each(LineItem.from_json)),
        "locale": ("locale", None),
        "restored": ("restored", None),
        "unexpectedCapture": ("unexpected_capture", UnexpectedCapture.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentUnexpectedCaptureEvent(Model):
    """The event `payment.unexpectedCapture`."""

    type: Literal["payment.unexpectedCapture"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: UnexpectedCaptureData

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", UnexpectedCaptureData.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class Refund(Model):
    """A refund, in any status. The payment’s `refunded_cents` counts succeeded refunds."""

    id: str
    payment_id: str
    amount_cents: int
    currency: str
    status: RefundStatus | str
    """`succeeded` can still become `failed`: the bank may send the money back later."""
    reason: RefundReason | str | None
    reference: str | None
    failure_code: str | None
    """Set when `failed`; new values may appear."""
    failure_message: str | None
    metadata: Mapping[str, Any]
    environment: Environment | str
    created_at: str
    succeeded_at: str | None
    failed_at: str | None

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "paymentId": ("payment_id", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "status": ("status", None),
        "reason": ("reason", None),
        "reference": ("reference", None),
        "failureCode": ("failure_code", None),
        "failureMessage": ("failure_message", None),
        "metadata": ("metadata", None),
        "environment": ("environment", None),
        "createdAt": ("created_at", None),
        "succeededAt": ("succeeded_at", None),
        "failedAt": ("failed_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class RefundCreatedEvent(Model):
    """The event `refund.created`."""

    type: Literal["refund.created"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Refund

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Refund.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class RefundSucceededEvent(Model):
    """The event `refund.succeeded`."""

    type: Literal["refund.succeeded"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Refund

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Refund.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class RefundFailedEvent(Model):
    """The event `refund.failed`."""

    type: Literal["refund.failed"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Refund

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Refund.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class RefundCanceledEvent(Model):
    """The event `refund.canceled`."""

    type: Literal["refund.canceled"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Refund

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Refund.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class Dispute(Model):
    """A customer’s dispute of a payment, opened by the network."""

    id: str
    payment_id: str
    amount_cents: int
    currency: str
    reason: str
    """The reason as the network names it; new values may appear."""
    stage: DisputeStage | str
    status: DisputeStatus | str
    resolution: DisputeResolution | str | None
    """How it was closed; null while open. A withdrawn dispute is `won`."""
    evidence: Mapping[str, str]
    """As staged; empty in webhooks."""
    evidence_due_at: str
    submitted_at: str | None
    auto_submit: bool
    environment: Environment | str
    created_at: str
    closed_at: str | None

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "paymentId": ("payment_id", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "reason": ("reason", None),
        "stage": ("stage", None),
        "status": ("status", None),
        "resolution": ("resolution", None),
        "evidence": ("evidence", None),
        "evidenceDueAt": ("evidence_due_at", None),
        "submittedAt": ("submitted_at", None),
        "autoSubmit": ("auto_submit", None),
        "environment": ("environment", None),
        "createdAt": ("created_at", None),
        "closedAt": ("closed_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeCreatedEvent(Model):
    """The event `dispute.created`."""

    type: Literal["dispute.created"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeUpdatedEvent(Model):
    """The event `dispute.updated`."""

    type: Literal["dispute.updated"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeUnderReviewEvent(Model):
    """The event `dispute.underReview`."""

    type: Literal["dispute.underReview"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeWonEvent(Model):
    """The event `dispute.won`."""

    type: Literal["dispute.won"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeLostEvent(Model):
    """The event `dispute.lost`."""

    type: Literal["dispute.lost"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeWithdrawnEvent(Model):
    """The event `dispute.withdrawn`."""

    type: Literal["dispute.withdrawn"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class DisputeEvidenceDueSoonEvent(Model):
    """The event `dispute.evidenceDueSoon`."""

    type: Literal["dispute.evidenceDueSoon"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Dispute

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", Dispute.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class CardTesting(Model):
    """Pays are refused, because too many cards were declined."""

    dimension: Literal["merchant", "key", "address", "bin", "card"] | str
    """What had too many declines."""
    subject: str | None
    """The id of the key, or the BIN; null for the others."""
    since: str

    _FIELDS: ClassVar[Fields] = {
        "dimension": ("dimension", None),
        "subject": ("subject", None),
        "since": ("since", None),
    }


@dataclass(frozen=True, kw_only=True)
class RiskCardTestingEvent(Model):
    """The event `risk.cardTesting`."""

    type: Literal["risk.cardTesting"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: CardTesting

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", CardTesting.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class TestEventData(Model):
    """The endpoint that was tested."""

    endpoint_id: str

    _FIELDS: ClassVar[Fields] = {
        "endpointId": ("endpoint_id", None),
    }


@dataclass(frozen=True, kw_only=True)
class EndpointTestEvent(Model):
    """The event `endpoint.test`."""

    type: Literal["endpoint.test"]
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: TestEventData

    _FIELDS: ClassVar[Fields] = {
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
        "data": ("data", TestEventData.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(UnknownModel):
    """An event of a type that this version does not know."""

    type: UnknownKind
    id: str
    timestamp: str
    api_version: str
    environment: Environment | str
    sequence: int
    """Rises by one per payment; 0 for an event of no payment."""
    previous_status: str | None
    data: Any = field(repr=False)

    _FIELDS: ClassVar[Fields] = {
        "data": ("data", None),
        "type": ("type", None),
        "id": ("id", None),
        "timestamp": ("timestamp", None),
        "apiVersion": ("api_version", None),
        "environment": ("environment", None),
        "sequence": ("sequence", None),
        "previousStatus": ("previous_status", None),
    }


Event: TypeAlias = (
    PaymentPendingEvent
    | PaymentRequiresActionEvent
    | PaymentPaidEvent
    | PaymentFailedEvent
    | PaymentRefundedEvent
    | PaymentPartiallyRefundedEvent
    | PaymentDisputedEvent
    | PaymentDisputeWonEvent
    | PaymentDisputeLostEvent
    | PaymentUnexpectedCaptureEvent
    | RefundCreatedEvent
    | RefundSucceededEvent
    | RefundFailedEvent
    | RefundCanceledEvent
    | DisputeCreatedEvent
    | DisputeUpdatedEvent
    | DisputeUnderReviewEvent
    | DisputeWonEvent
    | DisputeLostEvent
    | DisputeWithdrawnEvent
    | DisputeEvidenceDueSoonEvent
    | RiskCardTestingEvent
    | EndpointTestEvent
    | UnknownEvent
)
"""Something that happened, by `type`."""

_EVENT_KINDS: Mapping[str, type[Model]] = {
    "payment.pending": PaymentPendingEvent,
    "payment.requiresAction": PaymentRequiresActionEvent,
    "payment.paid": PaymentPaidEvent,
    "payment.failed": PaymentFailedEvent,
    "payment.refunded": PaymentRefundedEvent,
    "payment.partiallyRefunded": PaymentPartiallyRefundedEvent,
    "payment.disputed": PaymentDisputedEvent,
    "payment.disputeWon": PaymentDisputeWonEvent,
    "payment.disputeLost": PaymentDisputeLostEvent,
    "payment.unexpectedCapture": PaymentUnexpectedCaptureEvent,
    "refund.created": RefundCreatedEvent,
    "refund.succeeded": RefundSucceededEvent,
    "refund.failed": RefundFailedEvent,
    "refund.canceled": RefundCanceledEvent,
    "dispute.created": DisputeCreatedEvent,
    "dispute.updated": DisputeUpdatedEvent,
    "dispute.underReview": DisputeUnderReviewEvent,
    "dispute.won": DisputeWonEvent,
    "dispute.lost": DisputeLostEvent,
    "dispute.withdrawn": DisputeWithdrawnEvent,
    "dispute.evidenceDueSoon": DisputeEvidenceDueSoonEvent,
    "risk.cardTesting": RiskCardTestingEvent,
    "endpoint.test": EndpointTestEvent,
}


def parse_event(value: Any) -> Event:
    """Returns the Event of a JSON object; UnknownEvent for a kind that is not known."""
    known: Event = one_of("type", value, _EVENT_KINDS, UnknownEvent)
    return known


@dataclass(frozen=True, kw_only=True)
class CreationResult(Model):
    """The payment that was created."""

    id: str
    status: str
    checkout_url: str = field(repr=False)
    """Redirect the customer's browser here, exactly as returned; a secret."""
    expires_at: str
    environment: Environment | str

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "status": ("status", None),
        "checkoutUrl": ("checkout_url", None),
        "expiresAt": ("expires_at", None),
        "environment": ("environment", None),
    }


@dataclass(frozen=True, kw_only=True)
class ListMeta(Model):
    """The position of this page in the list."""

    page: int
    per_page: int
    total: int
    """All matches of the filters, not only those of this page."""

    _FIELDS: ClassVar[Fields] = {
        "page": ("page", None),
        "perPage": ("per_page", None),
        "total": ("total", None),
    }


@dataclass(frozen=True, kw_only=True)
class CheckoutPciConfig(Model):
    """Part of another object: `CheckoutPciConfig`."""

    provider: Literal["cardVault", "pciVault"] | str
    capture_url: str
    vault_id: str
    """Random, of this payment only."""
    allowed_origin: str
    iframe_url: str | None = field(repr=False, default=None)
    """Only with a hosted form for the checkout origin."""

    _FIELDS: ClassVar[Fields] = {
        "provider": ("provider", None),
        "captureUrl": ("capture_url", None),
        "vaultId": ("vault_id", None),
        "allowedOrigin": ("allowed_origin", None),
        "iframeUrl": ("iframe_url", None),
    }


@dataclass(frozen=True, kw_only=True)
class CheckoutCapture(Model):
    """Part of another object: `CheckoutCapture`."""

    url: str
    """Post the card fields here, exactly as returned, from your backend."""
    secret: str = field(repr=False)
    """Value of X-CardVault-Capture-Secret. Keep it on your backend; never log it."""
    reference: str
    expires_at: str

    _FIELDS: ClassVar[Fields] = {
        "url": ("url", None),
        "secret": ("secret", None),
        "reference": ("reference", None),
        "expiresAt": ("expires_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class Checkout(Model):
    """A merchant-captured checkout. The answer of prepare must not be returned to a browser."""

    payment_id: str
    amount_cents: int
    currency: str
    reference: str
    status: CheckoutStatus | str
    expires_at: str
    attempts_left: int
    environment: Environment | str
    pci_config: CheckoutPciConfig
    terminal_reason: TerminalReason | str | None = None
    """Why the checkout is closed; only present then."""
    action_url: str | None = field(repr=False, default=None)
    """Open in the customer's browser; only present while the status is `requiresAction`."""
    capture: CheckoutCapture | None = None

    _FIELDS: ClassVar[Fields] = {
        "paymentId": ("payment_id", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "reference": ("reference", None),
        "status": ("status", None),
        "expiresAt": ("expires_at", None),
        "attemptsLeft": ("attempts_left", None),
        "environment": ("environment", None),
        "pciConfig": ("pci_config", CheckoutPciConfig.from_json),
        "terminalReason": ("terminal_reason", None),
        "actionUrl": ("action_url", None),
        "capture": ("capture", CheckoutCapture.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class AttemptPaid(Model):
    """The attempt succeeded."""

    status: Literal["paid"]
    payment_id: str

    _FIELDS: ClassVar[Fields] = {
        "status": ("status", None),
        "paymentId": ("payment_id", None),
    }


@dataclass(frozen=True, kw_only=True)
class AttemptRequiresAction(Model):
    """The customer must complete a step."""

    status: Literal["requiresAction"]
    payment_id: str
    client_secret: str = field(repr=False)
    """A secret of the current action."""
    publishable_key: str

    _FIELDS: ClassVar[Fields] = {
        "status": ("status", None),
        "paymentId": ("payment_id", None),
        "clientSecret": ("client_secret", None),
        "publishableKey": ("publishable_key", None),
    }


@dataclass(frozen=True, kw_only=True)
class AttemptFailed(Model):
    """The attempt was declined."""

    status: Literal["failed"]
    payment_id: str
    failure_code: str
    message: str
    attempts_left: int

    _FIELDS: ClassVar[Fields] = {
        "status": ("status", None),
        "paymentId": ("payment_id", None),
        "failureCode": ("failure_code", None),
        "message": ("message", None),
        "attemptsLeft": ("attempts_left", None),
    }


@dataclass(frozen=True, kw_only=True)
class UnknownAttemptResult(UnknownModel):
    """A kind of AttemptResult that this version does not know."""

    status: UnknownKind

    _FIELDS: ClassVar[Fields] = {
        "status": ("status", None),
    }


AttemptResult: TypeAlias = (
    AttemptPaid
    | AttemptRequiresAction
    | AttemptFailed
    | UnknownAttemptResult
)
"""The result of one attempt. Read the payment for its final status."""

_ATTEMPT_RESULT_KINDS: Mapping[str, type[Model]] = {
    "paid": AttemptPaid,
    "requiresAction": AttemptRequiresAction,
    "failed": AttemptFailed,
}


def parse_attempt_result(value: Any) -> AttemptResult:
    """Returns the AttemptResult of a JSON object; UnknownAttemptResult for a kind that is not known."""
    known: AttemptResult = one_of("status", value, _ATTEMPT_RESULT_KINDS, UnknownAttemptResult)
    return known


@dataclass(frozen=True, kw_only=True)
class ThreeDSAction(Model):
    """The customer must authenticate the card."""

    kind: Literal["threeDS"]
    client_secret: str = field(repr=False)
    """A secret of the current action."""
    publishable_key: str

    _FIELDS: ClassVar[Fields] = {
        "kind": ("kind", None),
        "clientSecret": ("client_secret", None),
        "publishableKey": ("publishable_key", None),
    }


@dataclass(frozen=True, kw_only=True)
class WalletAction(Model):
    """The customer must approve the payment in the wallet."""

    kind: Literal["wallet"]
    checkout_url: str = field(repr=False)
    expires_at: str

    _FIELDS: ClassVar[Fields] = {
        "kind": ("kind", None),
        "checkoutUrl": ("checkout_url", None),
        "expiresAt": ("expires_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class UnknownCheckoutAction(UnknownModel):
    """A kind of CheckoutAction that this version does not know."""

    kind: UnknownKind

    _FIELDS: ClassVar[Fields] = {
        "kind": ("kind", None),
    }


CheckoutAction: TypeAlias = (
    ThreeDSAction
    | WalletAction
    | UnknownCheckoutAction
)
"""The open step of the customer."""

_CHECKOUT_ACTION_KINDS: Mapping[str, type[Model]] = {
    "threeDS": ThreeDSAction,
    "wallet": WalletAction,
}


def parse_checkout_action(value: Any) -> CheckoutAction:
    """Returns the CheckoutAction of a JSON object; UnknownCheckoutAction for a kind that is not known."""
    known: CheckoutAction = one_of("kind", value, _CHECKOUT_ACTION_KINDS, UnknownCheckoutAction)
    return known


@dataclass(frozen=True, kw_only=True)
class CheckoutState(Model):
    """The durable state of a merchant-captured checkout."""

    payment_id: str
    status: CheckoutStatus | str
    attempts_left: int
    expires_at: str
    action: CheckoutAction | None
    terminal_reason: TerminalReason | str | None = None
    """Why the checkout is closed; only present then."""

    _FIELDS: ClassVar[Fields] = {
        "paymentId": ("payment_id", None),
        "status": ("status", None),
        "attemptsLeft": ("attempts_left", None),
        "expiresAt": ("expires_at", None),
        "action": ("action", parse_checkout_action),
        "terminalReason": ("terminal_reason", None),
    }


@dataclass(frozen=True, kw_only=True)
class WaitingFor(Model):
    """The one party a payment waits for."""

    who: WaitingParty | str
    since: str
    until: str | None
    """When the wait ends by itself."""
    next: str
    """What happens next, in a sentence for people."""

    _FIELDS: ClassVar[Fields] = {
        "who": ("who", None),
        "since": ("since", None),
        "until": ("until", None),
        "next": ("next", None),
    }


@dataclass(frozen=True, kw_only=True)
class TimelineEntry(Model):
    """One thing that happened to a payment."""

    at: str
    kind: str
    """The kind of entry; new kinds may appear."""
    title: str
    """The same in a sentence for people."""
    detail: Mapping[str, Any]
    """Ids, amounts and codes; new members may appear."""

    _FIELDS: ClassVar[Fields] = {
        "at": ("at", None),
        "kind": ("kind", None),
        "title": ("title", None),
        "detail": ("detail", None),
    }


@dataclass(frozen=True, kw_only=True)
class Timeline(Model):
    """A payment at one instant, what it waited for, and what had happened, oldest first."""

    payment: Payment
    waiting_for: WaitingFor | None
    entries: list[TimelineEntry]

    _FIELDS: ClassVar[Fields] = {
        "payment": ("payment", Payment.from_json),
        "waitingFor": ("waiting_for", WaitingFor.from_json),
        "entries": ("entries", each(TimelineEntry.from_json)),
    }


@dataclass(frozen=True, kw_only=True)
class CursorMeta(Model):
    """Where the next page of the list begins."""

    next_cursor: str | None
    """Null on the last page."""

    _FIELDS: ClassVar[Fields] = {
        "nextCursor": ("next_cursor", None),
    }


@dataclass(frozen=True, kw_only=True)
class PaymentLink(Model):
    """An address under which each customer gets a payment."""

    id: str
    url: str
    """Send it to your customers."""
    active: bool
    amount_cents: int
    currency: str
    reference: str
    description: str | None
    line_items: list[LineItem]
    """Empty when none were sent."""
    methods: list[PaymentMethod | str] | None
    """Null: all that are configured."""
    success_url: str
    cancel_url: str
    max_payments: int | None
    payment_count: int
    """Those that are paid or may still be paid."""
    expires_at: str | None
    environment: Environment | str
    created_at: str
    updated_at: str

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "url": ("url", None),
        "active": ("active", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "reference": ("reference", None),
        "description": ("description", None),
        "lineItems": ("line_items", each(LineItem.from_json)),
        "methods": ("methods", None),
        "successUrl": ("success_url", None),
        "cancelUrl": ("cancel_url", None),
        "maxPayments": ("max_payments", None),
        "paymentCount": ("payment_count", None),
        "expiresAt": ("expires_at", None),
        "environment": ("environment", None),
        "createdAt": ("created_at", None),
        "updatedAt": ("updated_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class Movement(Model):
    """A movement of money. It never changes."""

    id: str
    type: MovementType | str
    """`late`: taken after the checkout or the attempt was over.

    `refund_failed`: a refund came back. `disputed`: withdrawn; `dispute_won`: returned;
    `dispute_lost`: gone for good (0 where it was withdrawn before). `payout`: paid out to the bank.
    """
    amount_cents: int
    """Negative: it took money from you."""
    currency: str
    occurred_at: str
    """When the money moved, as the provider says where it does."""
    booked_at: str
    """The instant it is counted under: `occurred_at`, or when it was noticed if its month was closed
    by then.


    """
    booked_on: str
    """The day of `booked_at` in your time zone."""
    payment_id: str | None
    refund_id: str | None
    dispute_id: str | None
    method: PaymentMethod | str | None
    provider_reference: str | None
    """What the provider calls it, or the key under which it is found there."""
    follows_from: str | None
    """The movement it undoes or continues."""
    environment: Environment | str

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "type": ("type", None),
        "amountCents": ("amount_cents", None),
        "currency": ("currency", None),
        "occurredAt": ("occurred_at", None),
        "bookedAt": ("booked_at", None),
        "bookedOn": ("booked_on", None),
        "paymentId": ("payment_id", None),
        "refundId": ("refund_id", None),
        "disputeId": ("dispute_id", None),
        "method": ("method", None),
        "providerReference": ("provider_reference", None),
        "followsFrom": ("follows_from", None),
        "environment": ("environment", None),
    }


@dataclass(frozen=True, kw_only=True)
class WebhookEndpoint(Model):
    """Where events of one environment are delivered."""

    id: str
    url: str
    description: str | None
    events: list[str] | None
    """Types or groups; null for all."""
    status: EndpointStatus | str
    disabled_reason: str | None
    failing_since: str | None
    previous_secret_expires_at: str | None
    environment: Environment | str
    created_at: str
    updated_at: str

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "url": ("url", None),
        "description": ("description", None),
        "events": ("events", None),
        "status": ("status", None),
        "disabledReason": ("disabled_reason", None),
        "failingSince": ("failing_since", None),
        "previousSecretExpiresAt": ("previous_secret_expires_at", None),
        "environment": ("environment", None),
        "createdAt": ("created_at", None),
        "updatedAt": ("updated_at", None),
    }


@dataclass(frozen=True, kw_only=True)
class WebhookEndpointWithSecret(Model):
    """A webhook endpoint with its new signing secret."""

    id: str
    url: str
    description: str | None
    events: list[str] | None
    """Types or groups; null for all."""
    status: EndpointStatus | str
    disabled_reason: str | None
    failing_since: str | None
    previous_secret_expires_at: str | None
    environment: Environment | str
    created_at: str
    updated_at: str
    secret: str = field(repr=False)
    """Shown only once. Verify every delivery with it."""

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "url": ("url", None),
        "description": ("description", None),
        "events": ("events", None),
        "status": ("status", None),
        "disabledReason": ("disabled_reason", None),
        "failingSince": ("failing_since", None),
        "previousSecretExpiresAt": ("previous_secret_expires_at", None),
        "environment": ("environment", None),
        "createdAt": ("created_at", None),
        "updatedAt": ("updated_at", None),
        "secret": ("secret", None),
    }


@dataclass(frozen=True, kw_only=True)
class DeletedEndpoint(Model):
    """The id of a deleted endpoint."""

    id: str
    deleted: bool

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "deleted": ("deleted", None),
    }


@dataclass(frozen=True, kw_only=True)
class DeliveryAttempt(Model):
    """Part of another object: `DeliveryAttempt`."""

    attempt_no: int
    at: str
    duration_ms: int
    status_code: int | None
    error: str | None
    response_excerpt: str | None

    _FIELDS: ClassVar[Fields] = {
        "attemptNo": ("attempt_no", None),
        "at": ("at", None),
        "durationMs": ("duration_ms", None),
        "statusCode": ("status_code", None),
        "error": ("error", None),
        "responseExcerpt": ("response_excerpt", None),
    }


@dataclass(frozen=True, kw_only=True)
class Delivery(Model):
    """The delivery of one event to one endpoint, with its latest tries."""

    event_id: str
    endpoint_id: str
    type: str
    status: DeliveryStatus | str
    created_at: str
    next_attempt_at: str | None
    delivered_at: str | None
    attempt_count: int
    attempts: list[DeliveryAttempt]

    _FIELDS: ClassVar[Fields] = {
        "eventId": ("event_id", None),
        "endpointId": ("endpoint_id", None),
        "type": ("type", None),
        "status": ("status", None),
        "createdAt": ("created_at", None),
        "nextAttemptAt": ("next_attempt_at", None),
        "deliveredAt": ("delivered_at", None),
        "attemptCount": ("attempt_count", None),
        "attempts": ("attempts", each(DeliveryAttempt.from_json)),
    }


@dataclass(frozen=True, kw_only=True)
class Replay(Model):
    """A range of events that is sent again."""

    id: str | None
    endpoint_id: str
    since: str
    until: str
    matched: int
    dry_run: bool

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "endpointId": ("endpoint_id", None),
        "since": ("since", None),
        "until": ("until", None),
        "matched": ("matched", None),
        "dryRun": ("dry_run", None),
    }


@dataclass(frozen=True, kw_only=True)
class Redelivery(Model):
    """Where an event is sent again."""

    event_id: str
    endpoint_ids: list[str]

    _FIELDS: ClassVar[Fields] = {
        "eventId": ("event_id", None),
        "endpointIds": ("endpoint_ids", None),
    }


@dataclass(frozen=True, kw_only=True)
class ApiRequest(Model):
    """A call of the API, without what was sent or answered."""

    id: str
    """Its `Request-Id`."""
    at: str
    method: str
    path: str
    """With `{id}` for ids; empty: none of the API."""
    status: int
    error_code: str | None
    duration_ms: int

    _FIELDS: ClassVar[Fields] = {
        "id": ("id", None),
        "at": ("at", None),
        "method": ("method", None),
        "path": ("path", None),
        "status": ("status", None),
        "errorCode": ("error_code", None),
        "durationMs": ("duration_ms", None),
    }


@dataclass(frozen=True, kw_only=True)
class AuditHead(Model):
    """The end of the audit log."""

    sequence: int
    """Number of the last entry; 0: there is none."""
    hash: str
    """SHA-256 of the last entry with the hash before it."""
    signature: str | None
    """Ed25519, base64, of `card-payments audit entry`, a line feed and `hash`."""
    at: str | None
    """When it was written."""
    public_key: str | None
    """Verifies signatures; 32 bytes, base64."""

    _FIELDS: ClassVar[Fields] = {
        "sequence": ("sequence", None),
        "hash": ("hash", None),
        "signature": ("signature", None),
        "at": ("at", None),
        "publicKey": ("public_key", None),
    }


@dataclass(frozen=True, kw_only=True)
class BrandingLogo(Model):
    """A logo as it is served."""

    url: str
    content_type: Literal["image/png", "image/svg+xml"] | str
    width: int
    height: int

    _FIELDS: ClassVar[Fields] = {
        "url": ("url", None),
        "contentType": ("content_type", None),
        "width": ("width", None),
        "height": ("height", None),
    }


@dataclass(frozen=True, kw_only=True)
class Branding(Model):
    """How the checkout of one environment looks."""

    display_name: str | None
    accent: str | None
    """Any color as `#rrggbb`."""
    support_email: str | None
    support_url: str | None
    terms_url: str | None
    privacy_url: str | None
    statement_descriptor: str | None
    logo: BrandingLogo | None
    dark_logo: BrandingLogo | None

    _FIELDS: ClassVar[Fields] = {
        "displayName": ("display_name", None),
        "accent": ("accent", None),
        "supportEmail": ("support_email", None),
        "supportUrl": ("support_url", None),
        "termsUrl": ("terms_url", None),
        "privacyUrl": ("privacy_url", None),
        "statementDescriptor": ("statement_descriptor", None),
        "logo": ("logo", BrandingLogo.from_json),
        "darkLogo": ("dark_logo", BrandingLogo.from_json),
    }


@dataclass(frozen=True, kw_only=True)
class ClearedBranding(Model):
    """Whether there was anything to clear."""

    cleared: bool

    _FIELDS: ClassVar[Fields] = {
        "cleared": ("cleared", None),
    }


@dataclass(frozen=True, kw_only=True)
class SandboxFaultOrdered(Model):
    """The fault that was injected into the next calls."""

    target: FaultTarget | str
    mode: NetworkFaultMode | str
    count: int
    payment_id: str | None

    _FIELDS: ClassVar[Fields] = {
        "target": ("target", None),
        "mode": ("mode", None),
        "count": ("count", None),
        "paymentId": ("payment_id", None),
    }


class CreatePaymentCustomer(TypedDict, total=False):
    """Parameters; each may be left out."""

    email: str
    name: str
    document_number: str
    """For wallet payments; never returned."""
    phone: str
    """For wallet payments; never returned."""


class NewLineItem(TypedDict):
    """One line of what is bought."""

    name: str
    quantity: int
    amount_cents: int
    """US cents for the whole line, so its quantity is counted already."""
