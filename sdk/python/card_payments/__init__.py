"""Card payments: create, pay, find out what happened after a lost answer, refund, verify webhooks."""

from . import models, outcomes
from ._client import AsyncCardPayments, CardPayments
from ._errors import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AuthenticationError,
    CardPaymentsError,
    ConfigurationError,
    ConflictError,
    GoneError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    Recovery,
    ServiceUnavailableError,
    ValidationError,
    WebhookVerificationError,
)
from ._model import UNSET, Unset
from ._once import OncePayment
from ._pages import AsyncList, AsyncPage, Page
from ._settings import RequestEvent, ResponseEvent
from ._transport import WithResponse
from ._vault import CaptureCard
from ._version import VERSION as __version__
from ._webhooks import WebhookHeaders, verify_webhook
from .models import Event
from .outcomes import Outcome

__all__ = [
    "UNSET",
    "APIConnectionError",
    "APIError",
    "APITimeoutError",
    "AsyncCardPayments",
    "AsyncList",
    "AsyncPage",
    "AuthenticationError",
    "CaptureCard",
    "CardPayments",
    "CardPaymentsError",
    "ConfigurationError",
    "ConflictError",
    "Event",
    "GoneError",
    "NotFoundError",
    "OncePayment",
    "Outcome",
    "Page",
    "PermissionError",
    "RateLimitError",
    "Recovery",
    "RequestEvent",
    "ResponseEvent",
    "ServiceUnavailableError",
    "Unset",
    "ValidationError",
    "WebhookHeaders",
    "WebhookVerificationError",
    "WithResponse",
    "__version__",
    "models",
    "outcomes",
    "verify_webhook",
]
