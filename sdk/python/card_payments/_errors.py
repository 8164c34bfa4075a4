"""The errors of this package."""

from __future__ import annotations

from typing import Literal, TypeAlias

Recovery: TypeAlias = Literal[
    "read_status", "retry_same_key", "retry_later", "ask_customer", "new_payment", "fix_request", "none"
]
"""The next step that the service advises with every refusal."""


class CardPaymentsError(Exception):
    """The base class of all errors of this package. No text contains a key, a secret, a token or a card."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ConfigurationError(CardPaymentsError):
    """A setting of the client is missing or cannot be used. Nothing was sent."""


class APIError(CardPaymentsError):
    """The service refused a call.

    It describes the request, never the payment: a payment may be paid although a call was refused.
    """

    status: int
    """The HTTP status."""
    code: str
    """The code to match, such as `validation_failed`. New codes may appear."""
    field: str | None
    """The field at fault, if there is one, in the API's spelling."""
    recovery: Recovery | str | None
    """What to do next."""
    request_id: str | None
    """The id of the call; quote it to support. None when the answer did not come from the service itself."""
    retry_after_seconds: int | None
    """How long to wait before the next call, when the service names a time."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        field: str | None = None,
        recovery: Recovery | str | None = None,
        request_id: str | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.field = field
        self.recovery = recovery
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross processes, such as those of a task queue; keyword arguments would be lost on the way.
        return (_restored, (type(self), dict(self.__dict__)))


def _restored(kind: type[APIError], known: dict[str, object]) -> APIError:
    error = kind.__new__(kind, known.get("message"))
    error.args = (known.get("message"),)
    error.__dict__.update(known)
    return error


class ValidationError(APIError):
    """400 and 422: a field, a parameter or an id is wrong. Fix the request."""


class AuthenticationError(APIError):
    """401: the key is missing, malformed, unknown or revoked."""


class PermissionError(APIError):
    """403: the key may not make this call."""


class NotFoundError(APIError):
    """404: unknown, of another merchant or environment, or not enabled. The service does not say which."""


class ConflictError(APIError):
    """409: something else is under way, or the state does not allow the call."""


class GoneError(APIError):
    """410: the checkout or its capture access is closed. Read the payment before you create another one."""


class RateLimitError(APIError):
    """429: too many calls. Nothing was started."""


class ServiceUnavailableError(APIError):
    """500 to 599: a dependency is unavailable. The request may still be processed."""


class APIConnectionError(CardPaymentsError):
    """No complete answer of the service was received. The request may have been processed."""

    reason: str | None
    """The name of the fault of the connection, such as `ConnectError`."""

    def __init__(self, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason


class APITimeoutError(APIConnectionError):
    """No answer was received in time. The request may have been processed."""


class WebhookVerificationError(CardPaymentsError):
    """A delivery is not from the service, or cannot be verified. Answer 400 and do nothing else."""


_CLASSES: dict[int, type[APIError]] = {
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    422: ValidationError,
    429: RateLimitError,
}


def class_of(status: int) -> type[APIError]:
    """Returns the class of the errors with an HTTP status."""
    return ServiceUnavailableError if status >= 500 else _CLASSES.get(status, APIError)


def invalid_argument(field: str, message: str) -> ValidationError:
    """Returns the error for an argument that cannot be sent. Nothing was sent."""
    return ValidationError(message, status=400, code="invalid_request", field=field, recovery="fix_request")
