"""What a call does, without doing it.

A flow is a generator that yields what must be done next and is sent the result. The two clients differ only
in how they do it: CardPayments blocks, AsyncCardPayments awaits.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

import httpx

T = TypeVar("T")

MAX_ANSWER_BYTES = 16 * 2**20
"""The largest answer that is read. A page of the service has less than one mebibyte."""


@dataclass(frozen=True)
class Send:
    """Sends one request and reads its whole answer. Its result is a Reply or a Fault."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    content: bytes | None = field(repr=False)
    timeout: float

    def request(self) -> httpx.Request:
        """Returns the request, with nothing of a client's own headers, cookies and authentication."""
        extensions = {"timeout": httpx.Timeout(self.timeout).as_dict()}
        return httpx.Request(
            self.method, self.url, headers=self.headers, content=self.content, extensions=extensions
        )


@dataclass(frozen=True)
class Sleep:
    """Waits. Its result is None."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """A complete answer."""

    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Fault:
    """No complete answer."""

    kind: Literal["timeout", "lost", "tooLarge", "closed"]
    reason: str
    """The name of the fault's class. The fault's text is left out, because it may quote the request."""
    status: int | None = None
    """The HTTP status, if the answer began."""


Step: TypeAlias = Send | Sleep
Flow: TypeAlias = Generator[Step, Any, T]


class Reading:
    """Collects an answer, and ends it when it is too large or too slow."""

    def __init__(self, timeout: float) -> None:
        self.status: int | None = None
        self._headers = httpx.Headers()
        self._body = bytearray()
        self._ends_at = time.monotonic() + timeout

    def begin(self, response: httpx.Response) -> None:
        """Takes the status and the headers."""
        self.status = response.status_code
        self._headers = response.headers

    def add(self, chunk: bytes) -> Fault | None:
        """Takes a part of the body. Returns a fault when no more of it may be read."""
        self._body += chunk
        if len(self._body) > MAX_ANSWER_BYTES:
            return Fault("tooLarge", "TooLarge", self.status)
        if time.monotonic() > self._ends_at:
            return Fault("timeout", "ReadTimeout", self.status)
        return None

    def reply(self) -> Reply:
        """Returns the complete answer."""
        return Reply(self.status or 0, self._headers, bytes(self._body))

    def fault(self, error: Exception) -> Fault:
        """Returns the fault of a connection's error."""
        kind: Literal["timeout", "lost"] = "timeout" if isinstance(error, httpx.TimeoutException) else "lost"
        return Fault(kind, type(error).__name__, self.status)
