"""The two clients. They have the same methods; those of AsyncCardPayments are awaited."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

import httpx

from . import _async, _sync, _vault
from ._drivers import AsyncDriver, Driver
from ._resource import AsyncResource, Resource
from ._settings import OnRequest, OnResponse, Settings, read_settings
from ._transport import Options
from ._vault import CaptureCard
from ._webhooks import Webhooks
from .models import Checkout

_Self = TypeVar("_Self", bound="CardPayments")
_AsyncSelf = TypeVar("_AsyncSelf", bound="AsyncCardPayments")


class Vault(Resource):
    """The card vault. Your backend sends the card there; the service never sees it."""

    def capture(
        self,
        access: Checkout,
        *,
        number: str,
        cvv: str,
        expiry_month: int | str,
        expiry_year: int | str,
        timeout: float | None = None,
    ) -> CaptureCard:
        """Sends a card to the vault.

        Returns the `card` for `pay` and `pay_and_wait`, after comparing the references. It is never repeated
        by itself, and the fields are not kept.

        - `access`: the answer of `payments.prepare_capture`.
        - `expiry_month`: 1 to 12.
        - `expiry_year`: with two or four digits.
        """
        card = {"number": number, "cvv": cvv, "expiry_month": expiry_month, "expiry_year": expiry_year}
        return self._run(_vault.capture(self._settings, access, card, Options(timeout=timeout)))


class AsyncVault(AsyncResource):
    """The card vault. Your backend sends the card there; the service never sees it."""

    async def capture(
        self,
        access: Checkout,
        *,
        number: str,
        cvv: str,
        expiry_month: int | str,
        expiry_year: int | str,
        timeout: float | None = None,
    ) -> CaptureCard:
        """Sends a card to the vault.

        Returns the `card` for `pay` and `pay_and_wait`, after comparing the references. It is never repeated
        by itself, and the fields are not kept.

        - `access`: the answer of `payments.prepare_capture`.
        - `expiry_month`: 1 to 12.
        - `expiry_year`: with two or four digits.
        """
        card = {"number": number, "cvv": cvv, "expiry_month": expiry_month, "expiry_year": expiry_year}
        return await self._run(_vault.capture(self._settings, access, card, Options(timeout=timeout)))


class CardPayments:
    """A client of the payment service, for a backend: one key, one environment.

    It keeps no state of payments, so that any number may run at once, also in threads.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.Client | None = None,
        on_request: OnRequest | None = None,
        on_response: OnResponse | None = None,
    ) -> None:
        """Raises ConfigurationError when the key or the address is missing or cannot be used.

        - `api_key`: a secret key, `cps_sandbox_…` or `cps_live_…`. Without it, CARD_PAYMENTS_API_KEY.
        - `base_url`: the address of the service, without a path. Without it, CARD_PAYMENTS_URL.
        - `timeout`: how many seconds to wait for one answer.
        - `max_retries`: how often a safe call is tried again.
        - `http_client`: sends the requests, for a proxy or other certificates. You close it yourself.
        - `on_request`, `on_response`: are called before every request and after every answer, and when none
          was received. What they raise is ignored.
        """
        self._settings = read_settings(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            on_request=on_request,
            on_response=on_response,
        )
        self._driver = Driver(http_client)
        self.payments = _sync.Payments(self._settings, self._driver)
        self.payment_links = _sync.PaymentLinks(self._settings, self._driver)
        self.refunds = _sync.Refunds(self._settings, self._driver)
        self.disputes = _sync.Disputes(self._settings, self._driver)
        self.webhook_endpoints = _sync.WebhookEndpoints(self._settings, self._driver)
        self.events = _sync.Events(self._settings, self._driver)
        self.movements = _sync.Movements(self._settings, self._driver)
        self.requests = _sync.Requests(self._settings, self._driver)
        self.audit = _sync.Audit(self._settings, self._driver)
        self.branding = _sync.Branding(self._settings, self._driver)
        self.sandbox = _sync.Sandbox(self._settings, self._driver)
        self.vault = Vault(self._settings, self._driver)
        self.webhooks = Webhooks()

    def close(self) -> None:
        """Closes the connections."""
        self._driver.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return _shown(self, self._settings)


class AsyncCardPayments:
    """A client of the payment service for asyncio: one key, one environment.

    It keeps no state of payments, so that any number may run at once. A task that is cancelled ends its call;
    `payments.recover` finds out what became of a payment.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        http_client: httpx.AsyncClient | None = None,
        on_request: OnRequest | None = None,
        on_response: OnResponse | None = None,
    ) -> None:
        """Raises ConfigurationError when the key or the address is missing or cannot be used.

        The parameters are those of CardPayments. The hooks are plain functions here too.
        """
        self._settings = read_settings(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            on_request=on_request,
            on_response=on_response,
        )
        self._driver = AsyncDriver(http_client)
        self.payments = _async.AsyncPayments(self._settings, self._driver)
        self.payment_links = _async.AsyncPaymentLinks(self._settings, self._driver)
        self.refunds = _async.AsyncRefunds(self._settings, self._driver)
        self.disputes = _async.AsyncDisputes(self._settings, self._driver)
        self.webhook_endpoints = _async.AsyncWebhookEndpoints(self._settings, self._driver)
        self.events = _async.AsyncEvents(self._settings, self._driver)
        self.movements = _async.AsyncMovements(self._settings, self._driver)
        self.requests = _async.AsyncRequests(self._settings, self._driver)
        self.audit = _async.AsyncAudit(self._settings, self._driver)
        self.branding = _async.AsyncBranding(self._settings, self._driver)
        self.sandbox = _async.AsyncSandbox(self._settings, self._driver)
        self.vault = AsyncVault(self._settings, self._driver)
        self.webhooks = Webhooks()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._driver.close()

    async def __aenter__(self: _AsyncSelf) -> _AsyncSelf:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return _shown(self, self._settings)


def _shown(client: object, settings: Settings) -> str:
    return f"{type(client).__name__}(base_url={settings.origin!r})"
