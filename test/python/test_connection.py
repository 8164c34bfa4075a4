"""Connections that fail, on real sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from card_payments import APIConnectionError, APIError, APITimeoutError, AsyncCardPayments, CardPayments

from fake_service import API_KEY, PAYMENT_ID

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
Talk = Callable[[socket.socket, threading.Event], None]


@contextmanager
def server(talk: Talk) -> Iterator[str]:
    """Listens on loopback; `talk` answers each connection until the end of the test."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            connection.recv(65_536)
            try:
                talk(connection, over)
            except OSError:
                return

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=serve, args=[connection]))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept)
        accepting.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
    for thread in [accepting, *threads]:
        thread.join()


def half(connection: socket.socket, _: threading.Event) -> None:
    """Sends half an answer."""
    connection.sendall(HEAD + b'{"data":{"id":')


def drip(connection: socket.socket, over: threading.Event) -> None:
    """Sends an answer byte by byte, each in time."""
    connection.sendall(HEAD)
    while not over.wait(0.05):
        connection.sendall(b" ")


def hang(_: socket.socket, over: threading.Event) -> None:
    """Sends nothing."""
    over.wait()


def close(_: socket.socket, over: threading.Event) -> None:
    """Ends the connection."""


def redirect(connection: socket.socket, _: threading.Event) -> None:
    """Sends the caller elsewhere."""
    connection.sendall(b"HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n")


def babble(connection: socket.socket, _: threading.Event) -> None:
    """Speaks another protocol, and quotes the request."""
    connection.sendall(f"220 hello {API_KEY}\r\n".encode())


def call(kind: str, base_url: str) -> Any:
    """Reads a payment with either client, within half a second."""
    options: Any = {"api_key": API_KEY, "base_url": base_url, "timeout": 0.5, "max_retries": 0}
    if kind == "sync":
        with CardPayments(**options) as cp:
            return cp.payments.retrieve(PAYMENT_ID)

    async def awaited() -> Any:
        async with AsyncCardPayments(**options) as cp:
            return await cp.payments.retrieve(PAYMENT_ID)

    return asyncio.run(awaited())


@pytest.mark.parametrize(
    ("talk", "expected", "text"),
    [
        (half, APIConnectionError, "cut off"),
        (drip, APITimeoutError, "within 0.5 seconds"),
        (hang, APITimeoutError, "within 0.5 seconds"),
        (close, APIConnectionError, "No answer"),
        (redirect, APIError, "not followed"),
        (babble, APIConnectionError, "No answer"),
    ],
)
def test_a_fault_of_the_connection_is_a_typed_error(
    kind: str, talk: Talk, expected: type[Exception], text: str
) -> None:
    with server(talk) as base_url, pytest.raises(expected, match=text) as caught:
        call(kind, base_url)
    error: BaseException | None = caught.value
    while error is not None:
        assert API_KEY not in f"{error!r}{vars(error)}"
        error = error.__context__


def test_a_service_that_is_not_there_is_a_typed_error(kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(APIConnectionError) as caught:
        call(kind, f"http://127.0.0.1:{port}")
    assert caught.value.reason == "ConnectError"


def test_a_client_of_the_caller_keeps_its_headers_and_cookies_to_itself() -> None:
    seen: list[httpx.Headers] = []

    def respond(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers)
        return httpx.Response(200, json={"data": {}}, headers={"set-cookie": "session=1"})

    own = httpx.Client(
        transport=httpx.MockTransport(respond),
        headers={"x-own": "1"},
        auth=("user", "word"),
        follow_redirects=True,
    )
    with CardPayments(api_key=API_KEY, base_url="https://a.b", http_client=own) as cp:
        cp.branding.retrieve()
        cp.branding.retrieve()
    assert not own.is_closed
    for headers in seen:
        assert headers["authorization"] == f"Bearer {API_KEY}"
        assert "x-own" not in headers
        assert "cookie" not in headers
    own.close()
