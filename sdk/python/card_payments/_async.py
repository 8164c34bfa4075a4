# Written by `npm run sdk:python` from the OpenAPI document of the service. Do not edit.

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from . import _once, _settle, models
from ._model import UNSET, Unset, sent, spelled
from ._pages import AsyncList
from ._resource import OUTCOME_TIMEOUT_SECONDS, AsyncResource, async_with_response
from ._transport import Call, Options
from ._vault import CaptureCard, card_body
from .outcomes import Outcome


def _meta(value: Any) -> models.ListMeta | models.CursorMeta:
    """Returns the position of a page in a list that is read by pages or by cursor."""
    by_cursor = isinstance(value, Mapping) and "nextCursor" in value
    meta = models.CursorMeta if by_cursor else models.ListMeta
    return meta.from_json(value)


class AsyncPaymentsWithResponse:
    """The methods of AsyncPayments, each with the answer that its result came in."""

    def __init__(self, calls: AsyncPayments) -> None:
        self.create = async_with_response(calls.create)
        self.list = async_with_response(calls.list)
        self.retrieve = async_with_response(calls.retrieve)
        self.prepare_capture = async_with_response(calls.prepare_capture)
        self.checkout = async_with_response(calls.checkout)
        self.pay = async_with_response(calls.pay)
        self.confirm = async_with_response(calls.confirm)
        self.status = async_with_response(calls.status)
        self.timeline = async_with_response(calls.timeline)
        self.search = async_with_response(calls.search)
        self.create_once = async_with_response(calls.create_once)


class AsyncPayments(AsyncResource):
    """See `cp.payments`."""

    @property
    def with_response(self) -> AsyncPaymentsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncPayments(self._settings, self._driver, keeps=True)
        return AsyncPaymentsWithResponse(kept)

    async def create(
        self,
        *,
        amount_cents: int,
        currency: Literal["USD"],
        reference: str,
        success_url: str,
        cancel_url: str,
        payment_method: Literal["card", "wallet"] | None = None,
        checkout_mode: models.CheckoutMode | None = None,
        embedding_origin: str | None = None,
        locale: models.Locale | None = None,
        environment: models.Environment | None = None,
        customer: models.CreatePaymentCustomer | None = None,
        metadata: Mapping[str, object] | None = None,
        description: str | None = None,
        line_items: Sequence[models.NewLineItem] | None = None,
        idempotency_key: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.CreationResult:
        """Create a payment and its checkout session. The same key and body answer the original 201
        again, with `Idempotent-Replayed: true`, for 24 hours.

        - `amount_cents`: US cents.
        - `reference`: Your order reference.
        - `payment_method`: Offer only this method; omit to offer all configured ones.
        - `checkout_mode`: Default: `hosted`.
        - `embedding_origin`: The approved website that embeds the checkout: scheme, host and port.
        - `locale`: Language of the page; `auto`: the language of the customer's browser. Default:
          `en`.
        - `environment`: Must equal the API key's environment.
        - `metadata`: Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8
          JSON.
        - `description`: What the payment is for; the customer sees it.
        - `line_items`: What is bought; the customer sees it. The amounts of all lines add up to the
          amount of the payment.
        """
        return await self._object(
            models.CreationResult.from_json,
            Call(
                method="POST",
                path="/v1/payments",
                body=sent({
                    "amountCents": amount_cents,
                    "currency": currency,
                    "reference": reference,
                    "successUrl": success_url,
                    "cancelUrl": cancel_url,
                    "paymentMethod": payment_method,
                    "checkoutMode": checkout_mode,
                    "embeddingOrigin": embedding_origin,
                    "locale": locale,
                    "environment": environment,
                    "customer": spelled(customer),
                    "metadata": metadata,
                    "description": description,
                    "lineItems": spelled(line_items),
                }),
                idempotency_key=idempotency_key,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list(
        self,
        *,
        status: models.PaymentStatus | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Payment, models.ListMeta]:
        """List payments, newest first. By pages, with the exact number of all matches. To find a
        payment by its reference use the search.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        """
        return self._list(
            (models.Payment.from_json, models.ListMeta.from_json),
            Call(
                method="GET",
                path="/v1/payments",
                query={"status": status, "from": from_, "to": to, "page": page, "perPage": per_page},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        wait_seconds: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Payment:
        """Read a payment. Stored state: the payment network is not called. With `wait_seconds` the
        answer comes when the status, the refunds or whether it can still be paid change.

        - `wait_seconds`: Wait for a change of the status, at most this many seconds.
        """
        return await self._object(
            models.Payment.from_json,
            Call(
                method="GET",
                path="/v1/payments/{id}",
                id=id,
                query={"waitSeconds": wait_seconds},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def prepare_capture(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Checkout:
        """Prepare card capture.

        No body. Charges nothing; a retry returns the same access and does not extend it.
        """
        return await self._object(
            models.Checkout.from_json,
            Call(
                method="POST",
                path="/v1/payments/{id}/capture",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def checkout(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Checkout:
        """Read a checkout.

        Stored state of a merchant-captured checkout, with `action_url` while the customer must
        complete a step.
        """
        return await self._object(
            models.Checkout.from_json,
            Call(
                method="GET",
                path="/v1/payments/{id}/checkout",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def pay(
        self,
        id: str,
        card: CaptureCard,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.AttemptResult:
        """Pay with a captured card.

        A declined attempt is a success answer with `status: failed`. After 409 or 503 poll the
        status.
        """
        return await self._object(
            models.parse_attempt_result,
            Call(
                method="POST",
                path="/v1/payments/{id}/pay",
                id=id,
                body=card_body(card),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def confirm(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.AttemptResult:
        """Confirm the customer's step.

        Only for merchants approved for custom action handling; the page at `action_url` does it by
        itself.
        """
        return await self._object(
            models.parse_attempt_result,
            Call(
                method="POST",
                path="/v1/payments/{id}/confirm",
                id=id,
                body=sent({}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def status(
        self,
        id: str,
        *,
        wait_seconds: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.CheckoutState:
        """Read the status of a checkout. With `wait_seconds` the answer comes when the status changes;
        at once where it is final.

        - `wait_seconds`: Wait for a change of the status, at most this many seconds.
        """
        return await self._object(
            models.CheckoutState.from_json,
            Call(
                method="GET",
                path="/v1/payments/{id}/status",
                id=id,
                query={"waitSeconds": wait_seconds},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def timeline(
        self,
        id: str,
        *,
        at: str | datetime | None = None,
        requests: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Timeline:
        """Read what happened to a payment, and whom it waits for. With `at`, the payment and its
        timeline as they were at that instant.

        - `at`: An instant; the present unless given.
        - `requests`: Whether to include the calls that asked for a change. They are stored some
          seconds later and kept for 7 days.
        """
        return await self._object(
            models.Timeline.from_json,
            Call(
                method="GET",
                path="/v1/payments/{id}/timeline",
                id=id,
                query={"at": at, "requests": requests},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def search(
        self,
        *,
        q: str | None = None,
        reference: str | None = None,
        email: str | None = None,
        customer_name: str | None = None,
        last4: str | None = None,
        method: models.PaymentMethod | None = None,
        status: models.PaymentStatus | None = None,
        checkout_status: models.CheckoutStatus | None = None,
        amount_from: int | None = None,
        amount_to: int | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Payment, models.CursorMeta]:
        """Find payments, newest first. All filters given must match. With `Accept: text/csv`
        everything that matches is streamed, whatever the limit.

        - `q`: A part of the reference, the customer's name or e-mail address, or the description;
          case-insensitive.
        - `reference`: Exactly.
        - `email`: The customer's address; case-insensitive.
        - `customer_name`: The customer's whole name; case-insensitive.
        - `last4`: The last digits of any card that was tried.
        - `amount_from`: In cents, inclusive.
        - `amount_to`: In cents, inclusive.
        - `from_`: Created at this instant, or on this UTC day, or later.
        - `to`: Created at this instant, or on this UTC day, or earlier.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.Payment.from_json, models.CursorMeta.from_json),
            Call(
                method="GET",
                path="/v1/search/payments",
                query={
                    "q": q,
                    "reference": reference,
                    "email": email,
                    "customerName": customer_name,
                    "last4": last4,
                    "method": method,
                    "status": status,
                    "checkoutStatus": checkout_status,
                    "amountFrom": amount_from,
                    "amountTo": amount_to,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def create_once(
        self,
        order_key: str,
        *,
        amount_cents: int,
        currency: Literal["USD"],
        reference: str,
        success_url: str,
        cancel_url: str,
        payment_method: Literal["card", "wallet"] | None = None,
        checkout_mode: models.CheckoutMode | None = None,
        embedding_origin: str | None = None,
        locale: models.Locale | None = None,
        environment: models.Environment | None = None,
        customer: models.CreatePaymentCustomer | None = None,
        metadata: Mapping[str, object] | None = None,
        description: str | None = None,
        line_items: Sequence[models.NewLineItem] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> _once.OncePayment:
        """Creates a payment, or finds the one that was created with this key before: in any process,
        at any time.

        The key is yours, such as the id of the order; it is kept in the payment's metadata as
        `createOnceKey`. A second payment for the same order needs another key. Raises ConflictError
        for another amount.

        - `amount_cents`: US cents.
        - `reference`: Your order reference.
        - `payment_method`: Offer only this method; omit to offer all configured ones.
        - `checkout_mode`: Default: `hosted`.
        - `embedding_origin`: The approved website that embeds the checkout: scheme, host and port.
        - `locale`: Language of the page; `auto`: the language of the customer's browser. Default:
          `en`.
        - `environment`: Must equal the API key's environment.
        - `metadata`: Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8
          JSON.
        - `description`: What the payment is for; the customer sees it.
        - `line_items`: What is bought; the customer sees it. The amounts of all lines add up to the
          amount of the payment.
        """
        return await self._run(
            _once.payment(
                self._settings,
                order_key,
                sent({
                    "amountCents": amount_cents,
                    "currency": currency,
                    "reference": reference,
                    "successUrl": success_url,
                    "cancelUrl": cancel_url,
                    "paymentMethod": payment_method,
                    "checkoutMode": checkout_mode,
                    "embeddingOrigin": embedding_origin,
                    "locale": locale,
                    "environment": environment,
                    "customer": spelled(customer),
                    "metadata": metadata,
                    "description": description,
                    "lineItems": spelled(line_items),
                }),
                Options(timeout=timeout, max_retries=max_retries),
            )
        )

    async def pay_and_wait(
        self, id: str, card: CaptureCard, *, timeout: float = OUTCOME_TIMEOUT_SECONDS
    ) -> Outcome:
        """Pays and returns the outcome, also after a lost answer, a 409 or a 503. Nothing is charged twice.

        When the time (in seconds) is over, the outcome is `unknown`: keep the order pending and call
        `recover`. Raises AuthenticationError and ValidationError.
        """
        return await self._driver.run(_settle.pay_and_wait(self._settings, id, card, timeout))

    async def recover(self, id: str, *, timeout: float = OUTCOME_TIMEOUT_SECONDS) -> Outcome:
        """Returns how a payment stands, in any process, with the id alone.

        Waits while an attempt is under way or none was made yet, 60 seconds by default; then the outcome is
        `unknown` and `recover` may be called again.
        """
        return await self._driver.run(_settle.recover(self._settings, id, timeout))


class AsyncPaymentLinksWithResponse:
    """The methods of AsyncPaymentLinks, each with the answer that its result came in."""

    def __init__(self, calls: AsyncPaymentLinks) -> None:
        self.create = async_with_response(calls.create)
        self.list = async_with_response(calls.list)
        self.retrieve = async_with_response(calls.retrieve)
        self.update = async_with_response(calls.update)


class AsyncPaymentLinks(AsyncResource):
    """See `cp.payment_links`."""

    @property
    def with_response(self) -> AsyncPaymentLinksWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncPaymentLinks(self._settings, self._driver, keeps=True)
        return AsyncPaymentLinksWithResponse(kept)

    async def create(
        self,
        *,
        amount_cents: int,
        currency: Literal["USD"],
        reference: str,
        success_url: str,
        cancel_url: str,
        description: str | None = None,
        line_items: Sequence[models.NewLineItem] | None = None,
        methods: Sequence[models.PaymentMethod] | None = None,
        max_payments: int | None = None,
        expires_at: str | datetime | None = None,
        idempotency_key: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.PaymentLink:
        """Create a payment link. Each customer who opens its address gets a hosted payment.

        - `amount_cents`: US cents.
        - `reference`: Every payment of the link has it.
        - `description`: What is paid for; the customer sees it.
        - `line_items`: What is bought; the customer sees it. The amounts of all lines add up to the
          amount of the payment.
        - `methods`: Offer only these methods; omit to offer all configured ones.
        - `max_payments`: How often it can be paid; omit for any number.
        - `expires_at`: Omit for never.
        """
        return await self._object(
            models.PaymentLink.from_json,
            Call(
                method="POST",
                path="/v1/payment-links",
                body=sent({
                    "amountCents": amount_cents,
                    "currency": currency,
                    "reference": reference,
                    "successUrl": success_url,
                    "cancelUrl": cancel_url,
                    "description": description,
                    "lineItems": spelled(line_items),
                    "methods": methods,
                    "maxPayments": max_payments,
                    "expiresAt": expires_at,
                }),
                idempotency_key=idempotency_key,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list(
        self,
        *,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.PaymentLink, models.ListMeta]:
        """List payment links. Newest first.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        """
        return self._list(
            (models.PaymentLink.from_json, models.ListMeta.from_json),
            Call(
                method="GET",
                path="/v1/payment-links",
                query={"from": from_, "to": to, "page": page, "perPage": per_page},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.PaymentLink:
        """Read a payment link. What it offers and how many payments it has."""
        return await self._object(
            models.PaymentLink.from_json,
            Call(
                method="GET",
                path="/v1/payment-links/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def update(
        self,
        id: str,
        *,
        active: bool,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.PaymentLink:
        """Close or reopen a payment link. Payments that it began can still be paid.

        - `active`: Whether the link begins payments.
        """
        return await self._object(
            models.PaymentLink.from_json,
            Call(
                method="PATCH",
                path="/v1/payment-links/{id}",
                id=id,
                body=sent({"active": active}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncRefundsWithResponse:
    """The methods of AsyncRefunds, each with the answer that its result came in."""

    def __init__(self, calls: AsyncRefunds) -> None:
        self.create = async_with_response(calls.create)
        self.list_for_payment = async_with_response(calls.list_for_payment)
        self.list = async_with_response(calls.list)
        self.retrieve = async_with_response(calls.retrieve)
        self.cancel = async_with_response(calls.cancel)
        self.create_once = async_with_response(calls.create_once)


class AsyncRefunds(AsyncResource):
    """See `cp.refunds`."""

    @property
    def with_response(self) -> AsyncRefundsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncRefunds(self._settings, self._driver, keeps=True)
        return AsyncRefundsWithResponse(kept)

    async def create(
        self,
        payment_id: str,
        *,
        amount_cents: int | None = None,
        reason: models.RefundReason | None = None,
        reference: str | None = None,
        metadata: Mapping[str, object] | None = None,
        idempotency_key: str,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Refund:
        """Refund a payment, in part or its whole remaining amount. The refund begins as `pending`. The
        same key and body answer the original 201 again, for 24 hours.

        - `amount_cents`: US cents; omit to refund the whole remaining amount.
        - `reference`: Your reference of this refund.
        - `metadata`: Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8
          JSON.
        """
        return await self._object(
            models.Refund.from_json,
            Call(
                method="POST",
                path="/v1/payments/{id}/refunds",
                id=payment_id,
                body=sent({
                    "amountCents": amount_cents,
                    "reason": reason,
                    "reference": reference,
                    "metadata": metadata,
                }),
                idempotency_key=idempotency_key,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_for_payment(
        self,
        payment_id: str,
        *,
        status: models.RefundStatus | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Refund, models.ListMeta]:
        """List the refunds of a payment. In any status, newest first.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        """
        return self._list(
            (models.Refund.from_json, models.ListMeta.from_json),
            Call(
                method="GET",
                path="/v1/payments/{id}/refunds",
                id=payment_id,
                query={"status": status, "from": from_, "to": to, "page": page, "perPage": per_page},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list(
        self,
        *,
        status: models.RefundStatus | None = None,
        payment_id: str | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Refund, models.ListMeta]:
        """List refunds. The refunds of all payments in any status, newest first.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        """
        return self._list(
            (models.Refund.from_json, models.ListMeta.from_json),
            Call(
                method="GET",
                path="/v1/refunds",
                query={
                    "status": status,
                    "paymentId": payment_id,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "perPage": per_page,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Refund:
        """Read a refund. Stored state: the payment network is not called."""
        return await self._object(
            models.Refund.from_json,
            Call(
                method="GET",
                path="/v1/refunds/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Refund:
        """Cancel a refund before it is submitted.

        Once it was sent to the network it can no longer be canceled.
        """
        return await self._object(
            models.Refund.from_json,
            Call(
                method="POST",
                path="/v1/refunds/{id}/cancel",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def create_once(
        self,
        key: str,
        payment_id: str,
        *,
        amount_cents: int | None = None,
        reason: models.RefundReason | None = None,
        reference: str | None = None,
        metadata: Mapping[str, object] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Refund:
        """Makes a refund, or finds the one that was made with this key before: in any process, at any
        time.

        The key is yours; it is kept in the refund's metadata as `createOnceKey`. Raises
        ConflictError for another amount.

        - `amount_cents`: US cents; omit to refund the whole remaining amount.
        - `reference`: Your reference of this refund.
        - `metadata`: Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8
          JSON.
        """
        return await self._run(
            _once.refund(
                self._settings,
                (payment_id, key),
                sent({
                    "amountCents": amount_cents,
                    "reason": reason,
                    "reference": reference,
                    "metadata": metadata,
                }),
                Options(timeout=timeout, max_retries=max_retries),
            )
        )


class AsyncDisputesWithResponse:
    """The methods of AsyncDisputes, each with the answer that its result came in."""

    def __init__(self, calls: AsyncDisputes) -> None:
        self.list = async_with_response(calls.list)
        self.list_for_payment = async_with_response(calls.list_for_payment)
        self.retrieve = async_with_response(calls.retrieve)
        self.stage_evidence = async_with_response(calls.stage_evidence)
        self.submit = async_with_response(calls.submit)
        self.accept = async_with_response(calls.accept)


class AsyncDisputes(AsyncResource):
    """See `cp.disputes`."""

    @property
    def with_response(self) -> AsyncDisputesWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncDisputes(self._settings, self._driver, keeps=True)
        return AsyncDisputesWithResponse(kept)

    def list(
        self,
        *,
        status: models.DisputeStatus | None = None,
        payment_id: str | None = None,
        due_before: str | date | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Dispute, models.ListMeta | models.CursorMeta]:
        """List disputes. By `page` and `per_page`, newest first. With `due_before` by `limit` and
        `cursor`, the next deadline first.

        - `due_before`: Exclusive; the next deadline first.
        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.Dispute.from_json, _meta),
            Call(
                method="GET",
                path="/v1/disputes",
                query={
                    "status": status,
                    "paymentId": payment_id,
                    "dueBefore": due_before,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "perPage": per_page,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def list_for_payment(
        self,
        payment_id: str,
        *,
        status: models.DisputeStatus | None = None,
        due_before: str | date | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Dispute, models.ListMeta | models.CursorMeta]:
        """List the disputes of a payment. By `page` and `per_page`, newest first. With `due_before` by
        `limit` and `cursor`, the next deadline first.

        - `due_before`: Exclusive; the next deadline first.
        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.Dispute.from_json, _meta),
            Call(
                method="GET",
                path="/v1/payments/{id}/disputes",
                id=payment_id,
                query={
                    "status": status,
                    "dueBefore": due_before,
                    "from": from_,
                    "to": to,
                    "page": page,
                    "perPage": per_page,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Read a dispute. With the evidence that is staged or was submitted."""
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="GET",
                path="/v1/disputes/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def stage_evidence(
        self,
        id: str,
        *,
        evidence: Mapping[str, str],
        auto_submit: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Stage evidence. The texts may also be given at the top level, without `evidence`.

        - `evidence`: Texts by name, replacing what was staged; at most 150000 characters in all.
        - `auto_submit`: Submit the staged evidence one hour before the deadline.
        """
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="PUT",
                path="/v1/disputes/{id}/evidence",
                id=id,
                body=sent({"evidence": evidence, "autoSubmit": auto_submit}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def submit(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Submit the staged evidence; final.

        Sends the staged texts to the network. They cannot be changed or sent again at this stage.
        """
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="POST",
                path="/v1/disputes/{id}/submit",
                id=id,
                body=sent({}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def accept(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Accept a dispute; final. The customer keeps the money, and the dispute is lost."""
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="POST",
                path="/v1/disputes/{id}/accept",
                id=id,
                body=sent({}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncMovementsWithResponse:
    """The methods of AsyncMovements, each with the answer that its result came in."""

    def __init__(self, calls: AsyncMovements) -> None:
        self.list = async_with_response(calls.list)


class AsyncMovements(AsyncResource):
    """See `cp.movements`."""

    @property
    def with_response(self) -> AsyncMovementsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncMovements(self._settings, self._driver, keeps=True)
        return AsyncMovementsWithResponse(kept)

    def list(
        self,
        *,
        type: models.MovementType | None = None,
        payment_id: str | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Movement, models.CursorMeta]:
        """List movements of money. Last booked first. A month is closed three days after its end: what
        is noticed later is booked then.

        - `from_`: First `booked_on`, inclusive.
        - `to`: Last `booked_on`, inclusive.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.Movement.from_json, models.CursorMeta.from_json),
            Call(
                method="GET",
                path="/v1/movements",
                query={
                    "type": type,
                    "paymentId": payment_id,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncWebhookEndpointsWithResponse:
    """The methods of AsyncWebhookEndpoints, each with the answer that its result came in."""

    def __init__(self, calls: AsyncWebhookEndpoints) -> None:
        self.list = async_with_response(calls.list)
        self.create = async_with_response(calls.create)
        self.retrieve = async_with_response(calls.retrieve)
        self.update = async_with_response(calls.update)
        self.delete = async_with_response(calls.delete)
        self.rotate_secret = async_with_response(calls.rotate_secret)
        self.test = async_with_response(calls.test)
        self.deliveries = async_with_response(calls.deliveries)
        self.replay = async_with_response(calls.replay)


class AsyncWebhookEndpoints(AsyncResource):
    """See `cp.webhook_endpoints`."""

    @property
    def with_response(self) -> AsyncWebhookEndpointsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncWebhookEndpoints(self._settings, self._driver, keeps=True)
        return AsyncWebhookEndpointsWithResponse(kept)

    def list(
        self,
        *,
        from_: str | date | None = None,
        to: str | date | None = None,
        page: int | None = None,
        per_page: int | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.WebhookEndpoint, models.ListMeta]:
        """List webhook endpoints. The endpoints of the environment of your key, without their secrets.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        """
        return self._list(
            (models.WebhookEndpoint.from_json, models.ListMeta.from_json),
            Call(
                method="GET",
                path="/v1/webhook-endpoints",
                query={"from": from_, "to": to, "page": page, "perPage": per_page},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def create(
        self,
        *,
        url: str,
        events: Sequence[str] | Unset | None = UNSET,
        description: str | Unset | None = UNSET,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.WebhookEndpointWithSecret:
        """Add a webhook endpoint. The signing secret is shown in this answer only."""
        return await self._object(
            models.WebhookEndpointWithSecret.from_json,
            Call(
                method="POST",
                path="/v1/webhook-endpoints",
                body=sent({"url": url}, {"events": events, "description": description}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.WebhookEndpoint:
        """Read a webhook endpoint. Its address, event types and state, without its secret."""
        return await self._object(
            models.WebhookEndpoint.from_json,
            Call(
                method="GET",
                path="/v1/webhook-endpoints/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def update(
        self,
        id: str,
        *,
        url: str | None = None,
        events: Sequence[str] | Unset | None = UNSET,
        description: str | Unset | None = UNSET,
        status: models.EndpointStatus | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.WebhookEndpoint:
        """Change, enable or disable a webhook endpoint.

        An absent field stays as it is; `events` null sends all types.
        """
        return await self._object(
            models.WebhookEndpoint.from_json,
            Call(
                method="PATCH",
                path="/v1/webhook-endpoints/{id}",
                id=id,
                body=sent({"url": url, "status": status}, {"events": events, "description": description}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.DeletedEndpoint:
        """Delete a webhook endpoint. Nothing more is sent to it."""
        return await self._object(
            models.DeletedEndpoint.from_json,
            Call(
                method="DELETE",
                path="/v1/webhook-endpoints/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def rotate_secret(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.WebhookEndpointWithSecret:
        """Replace the signing secret. Deliveries carry signatures of both secrets for 24 hours."""
        return await self._object(
            models.WebhookEndpointWithSecret.from_json,
            Call(
                method="POST",
                path="/v1/webhook-endpoints/{id}/rotate-secret",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def test(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Event:
        """Send a test event.

        Sends one `endpoint.test` event to this endpoint, whatever types it receives.
        """
        return await self._object(
            models.parse_event,
            Call(
                method="POST",
                path="/v1/webhook-endpoints/{id}/test",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    def deliveries(
        self,
        id: str,
        *,
        status: models.DeliveryStatus | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Delivery, models.CursorMeta]:
        """List the deliveries to an endpoint. Newest first, each with its latest attempts.

        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.Delivery.from_json, models.CursorMeta.from_json),
            Call(
                method="GET",
                path="/v1/webhook-endpoints/{id}/deliveries",
                id=id,
                query={"status": status, "from": from_, "to": to, "limit": limit, "cursor": cursor},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def replay(
        self,
        id: str,
        *,
        since: str | datetime,
        status: Literal["failed", "all"],
        until: str | datetime | None = None,
        types: Sequence[str] | None = None,
        dry_run: bool | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Replay:
        """Send a range of events again.

        Sends the events of a time span again, or only those that failed. `dry_run` counts them and
        sends nothing.
        """
        return await self._object(
            models.Replay.from_json,
            Call(
                method="POST",
                path="/v1/webhook-endpoints/{id}/replay",
                id=id,
                body=sent({
                    "since": since,
                    "status": status,
                    "until": until,
                    "types": types,
                    "dryRun": dry_run,
                }),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncEventsWithResponse:
    """The methods of AsyncEvents, each with the answer that its result came in."""

    def __init__(self, calls: AsyncEvents) -> None:
        self.list = async_with_response(calls.list)
        self.retrieve = async_with_response(calls.retrieve)
        self.redeliver = async_with_response(calls.redeliver)


class AsyncEvents(AsyncResource):
    """See `cp.events`."""

    @property
    def with_response(self) -> AsyncEventsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncEvents(self._settings, self._driver, keeps=True)
        return AsyncEventsWithResponse(kept)

    def list(
        self,
        *,
        type: str | None = None,
        payment_id: str | None = None,
        after_sequence: int | None = None,
        after: str | None = None,
        from_: str | date | None = None,
        to: str | date | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.Event, models.CursorMeta]:
        """Read the event log. Newest first; with `after`, oldest first from that event on. Events are
        kept for 90 days.

        - `type`: A type such as `payment.paid`, or a group such as `payment.*`.
        - `after_sequence`: Only events of the payment with a higher `sequence`; requires
          `payment_id`.
        - `after`: Id of the last event read, or `start`. Only with `payment_id` may it be combined
          with `from_` or `to`.
        - `from_`: First UTC day of creation, inclusive.
        - `to`: Last UTC day of creation, inclusive.
        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.parse_event, models.CursorMeta.from_json),
            Call(
                method="GET",
                path="/v1/events",
                query={
                    "type": type,
                    "paymentId": payment_id,
                    "afterSequence": after_sequence,
                    "after": after,
                    "from": from_,
                    "to": to,
                    "limit": limit,
                    "cursor": cursor,
                },
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def retrieve(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Event:
        """Read an event. The event exactly as its webhooks carry it."""
        return await self._object(
            models.parse_event,
            Call(
                method="GET",
                path="/v1/events/{id}",
                id=id,
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def redeliver(
        self,
        id: str,
        *,
        endpoint_id: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Redelivery:
        """Send an event again. To one endpoint, or to every enabled endpoint that receives its type."""
        return await self._object(
            models.Redelivery.from_json,
            Call(
                method="POST",
                path="/v1/events/{id}/redeliver",
                id=id,
                body=sent({"endpointId": endpoint_id}),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncRequestsWithResponse:
    """The methods of AsyncRequests, each with the answer that its result came in."""

    def __init__(self, calls: AsyncRequests) -> None:
        self.list = async_with_response(calls.list)


class AsyncRequests(AsyncResource):
    """See `cp.requests`."""

    @property
    def with_response(self) -> AsyncRequestsWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncRequests(self._settings, self._driver, keeps=True)
        return AsyncRequestsWithResponse(kept)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[models.ApiRequest, models.CursorMeta]:
        """List calls of the API. By every key of this environment, newest first, for seven days.

        - `cursor`: `meta.nextCursor` of the page before, with the same filters.
        """
        return self._list(
            (models.ApiRequest.from_json, models.CursorMeta.from_json),
            Call(
                method="GET",
                path="/v1/requests",
                query={"limit": limit, "cursor": cursor},
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncAuditWithResponse:
    """The methods of AsyncAudit, each with the answer that its result came in."""

    def __init__(self, calls: AsyncAudit) -> None:
        self.head = async_with_response(calls.head)


class AsyncAudit(AsyncResource):
    """See `cp.audit`."""

    @property
    def with_response(self) -> AsyncAuditWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncAudit(self._settings, self._driver, keeps=True)
        return AsyncAuditWithResponse(kept)

    async def head(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.AuditHead:
        """Read the end of the audit log.

        Of both environments. Store it elsewhere: `admin audit verify --head` shows whether the log
        still has it.
        """
        return await self._object(
            models.AuditHead.from_json,
            Call(
                method="GET",
                path="/v1/audit/head",
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncBrandingWithResponse:
    """The methods of AsyncBranding, each with the answer that its result came in."""

    def __init__(self, calls: AsyncBranding) -> None:
        self.retrieve = async_with_response(calls.retrieve)
        self.update = async_with_response(calls.update)
        self.clear = async_with_response(calls.clear)


class AsyncBranding(AsyncResource):
    """See `cp.branding`."""

    @property
    def with_response(self) -> AsyncBrandingWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncBranding(self._settings, self._driver, keeps=True)
        return AsyncBrandingWithResponse(kept)

    async def retrieve(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Branding:
        """Read the branding of the checkout page.

        In the environment of your key. What is not set is null.
        """
        return await self._object(
            models.Branding.from_json,
            Call(
                method="GET",
                path="/v1/branding",
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def update(
        self,
        *,
        display_name: str | Unset | None = UNSET,
        accent: str | Unset | None = UNSET,
        support_email: str | Unset | None = UNSET,
        support_url: str | Unset | None = UNSET,
        terms_url: str | Unset | None = UNSET,
        privacy_url: str | Unset | None = UNSET,
        statement_descriptor: str | Unset | None = UNSET,
        logo: str | Unset | None = UNSET,
        dark_logo: str | Unset | None = UNSET,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Branding:
        """Change logo, color, name and links of the checkout page.

        A text sets a field, `None` clears it, an absent field stays. `logo` and `dark_logo`, for
        dark pages, are PNG or SVG files of up to 256 KB in base64.
        """
        return await self._object(
            models.Branding.from_json,
            Call(
                method="PATCH",
                path="/v1/branding",
                body=sent({}, {
                    "displayName": display_name,
                    "accent": accent,
                    "supportEmail": support_email,
                    "supportUrl": support_url,
                    "termsUrl": terms_url,
                    "privacyUrl": privacy_url,
                    "statementDescriptor": statement_descriptor,
                    "logo": logo,
                    "darkLogo": dark_logo,
                }),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def clear(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.ClearedBranding:
        """Remove the branding of the checkout page.

        The page shows the name of the merchant and the standard colors.
        """
        return await self._object(
            models.ClearedBranding.from_json,
            Call(
                method="DELETE",
                path="/v1/branding",
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )


class AsyncSandboxWithResponse:
    """The methods of AsyncSandbox, each with the answer that its result came in."""

    def __init__(self, calls: AsyncSandbox) -> None:
        self.set_outcome = async_with_response(calls.set_outcome)
        self.answer_challenge = async_with_response(calls.answer_challenge)
        self.advance_clock = async_with_response(calls.advance_clock)
        self.open_dispute = async_with_response(calls.open_dispute)
        self.resolve_dispute = async_with_response(calls.resolve_dispute)
        self.settle_refund = async_with_response(calls.settle_refund)
        self.inject_fault = async_with_response(calls.inject_fault)


class AsyncSandbox(AsyncResource):
    """See `cp.sandbox`."""

    @property
    def with_response(self) -> AsyncSandboxWithResponse:
        """The same methods, each with the status, the headers and the request id of its answer."""
        kept = AsyncSandbox(self._settings, self._driver, keeps=True)
        return AsyncSandboxWithResponse(kept)

    async def set_outcome(
        self,
        payment_id: str,
        *,
        outcome: Literal["paid", "failed", "requiresAction", "processing", "unexpectedCapture"],
        method: models.PaymentMethod | None = None,
        failure_code: str | None = None,
        after_seconds: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Payment:
        """Set the outcome of a payment. Decides the attempt that is under way, or makes one for the
        customer, without a card.

        - `outcome`: `unexpectedCapture`: the network takes the money of the latest attempt, which
          failed.
        - `failure_code`: With `failed`. Without a code, or with a final one, the payment fails
          permanently.
        """
        return await self._object(
            models.Payment.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/payments/{id}/outcome",
                id=payment_id,
                body=sent({
                    "outcome": outcome,
                    "method": method,
                    "failureCode": failure_code,
                    "afterSeconds": after_seconds,
                }),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def answer_challenge(
        self,
        payment_id: str,
        *,
        result: Literal["authenticated", "failed", "abandoned"],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Payment:
        """Answer a challenge for the customer.

        Does what the customer would do on the page of the challenge.
        """
        return await self._object(
            models.Payment.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/payments/{id}/challenge",
                id=payment_id,
                body=sent({"result": result}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def advance_clock(
        self,
        payment_id: str,
        *,
        by_seconds: int,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Payment:
        """Move a payment's deadlines nearer.

        Ends the capture access of a new payment by 600 seconds, its checkout by 1800.
        """
        return await self._object(
            models.Payment.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/payments/{id}/advance-clock",
                id=payment_id,
                body=sent({"bySeconds": by_seconds}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def open_dispute(
        self,
        payment_id: str,
        *,
        reason: str,
        stage: models.DisputeStage | None = None,
        amount_cents: int | None = None,
        due_in_seconds: int | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Open a dispute. The network opens a dispute of a paid payment."""
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/payments/{id}/disputes",
                id=payment_id,
                body=sent({
                    "reason": reason,
                    "stage": stage,
                    "amountCents": amount_cents,
                    "dueInSeconds": due_in_seconds,
                }),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def resolve_dispute(
        self,
        dispute_id: str,
        *,
        outcome: Literal["won", "lost", "withdrawn", "escalated"],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Dispute:
        """Decide a dispute. The decision of the network, also before evidence was submitted.

        - `outcome`: `escalated`: the dispute goes to its next stage, and asks for evidence again.
        """
        return await self._object(
            models.Dispute.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/disputes/{id}/resolve",
                id=dispute_id,
                body=sent({"outcome": outcome}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def settle_refund(
        self,
        refund_id: str,
        *,
        outcome: Literal["succeeded", "failed"],
        failure_code: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.Refund:
        """Decide a refund.

        Submits a refund that could still be canceled. `failed` after `succeeded` is a late failure.
        """
        return await self._object(
            models.Refund.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/refunds/{id}/outcome",
                id=refund_id,
                body=sent({"outcome": outcome, "failureCode": failure_code}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )

    async def inject_fault(
        self,
        *,
        target: Literal["vault", "network", "webhook"],
        mode: Literal["timeout", "lostResponse", "error", "slow", "duplicateCallback", "lateSuccess"],
        count: int | None = None,
        payment_id: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> models.SandboxFaultOrdered:
        """Order trouble of a dependency. The next calls to this dependency fail in the given way, for
        all of your payments or for one.

        - `count`: Default: `1`.
        """
        return await self._object(
            models.SandboxFaultOrdered.from_json,
            Call(
                method="POST",
                path="/v1/sandbox/faults",
                body=sent({"target": target, "mode": mode, "count": count, "paymentId": payment_id}),
                idempotency_key=idempotency_key or str(uuid.uuid4()),
                options=Options(timeout=timeout, max_retries=max_retries),
            ),
        )
