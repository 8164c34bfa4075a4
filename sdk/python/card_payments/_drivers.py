"""The two ways to run a flow: with httpx.Client, which blocks, and with httpx.AsyncClient under asyncio."""

from __future__ import annotations

import asyncio
import time
from typing import TypeVar

import httpx

from ._flow import Fault, Flow, Reading, Reply, Send, Step

T = TypeVar("T")

# Calls that wait for a change of a status hold their connection, so that many must fit beside each other.
_LIMITS = httpx.Limits(max_connections=1_000, max_keepalive_connections=100)


class Driver:
    """Runs flows with an httpx.Client."""

    def __init__(self, client: httpx.Client | None) -> None:
        self._is_own = client is None
        self._client = httpx.Client(limits=_LIMITS) if client is None else client

    def run(self, flow: Flow[T]) -> T:
        """Returns what the flow returns; raises what it raises."""
        try:
            step = next(flow)
            while True:
                step = flow.send(self._do(step))
        except StopIteration as end:
            result: T = end.value
            return result

    def close(self) -> None:
        """Closes the connections. A client that was passed in stays open."""
        if self._is_own:
            self._client.close()

    def _do(self, step: Step) -> Reply | Fault | None:
        if isinstance(step, Send):
            return self._send(step)
        time.sleep(step.seconds)
        return None

    def _send(self, send: Send) -> Reply | Fault:
        if self._client.is_closed:
            return Fault("closed", "ClientClosed")
        reading = Reading(send.timeout)
        try:
            response = self._client.send(send.request(), stream=True, auth=None, follow_redirects=False)
            try:
                reading.begin(response)
                for chunk in response.iter_bytes():
                    fault = reading.add(chunk)
                    if fault is not None:
                        return fault
            finally:
                response.close()
        except Exception as error:
            # Whatever the transport raises, no answer was received.
            return reading.fault(error)
        return reading.reply()


class AsyncDriver:
    """Runs flows with an httpx.AsyncClient."""

    def __init__(self, client: httpx.AsyncClient | None) -> None:
        self._is_own = client is None
        self._client = httpx.AsyncClient(limits=_LIMITS) if client is None else client

    async def run(self, flow: Flow[T]) -> T:
        """Returns what the flow returns; raises what it raises."""
        try:
            step = next(flow)
            while True:
                step = flow.send(await self._do(step))
        except StopIteration as end:
            result: T = end.value
            return result

    async def close(self) -> None:
        """Closes the connections. A client that was passed in stays open."""
        if self._is_own:
            await self._client.aclose()

    async def _do(self, step: Step) -> Reply | Fault | None:
        if isinstance(step, Send):
            return await self._send(step)
        await asyncio.sleep(step.seconds)
        return None

    async def _send(self, send: Send) -> Reply | Fault:
        if self._client.is_closed:
            return Fault("closed", "ClientClosed")
        reading = Reading(send.timeout)
        try:
            return await asyncio.wait_for(self._exchange(send, reading), send.timeout)
        except asyncio.TimeoutError:
            return Fault("timeout", "TimeoutError", reading.status)
        except Exception as error:
            # Whatever the transport raises, no answer was received.
            return reading.fault(error)

    async def _exchange(self, send: Send, reading: Reading) -> Reply | Fault:
        response = await self._client.send(send.request(), stream=True, auth=None, follow_redirects=False)
        try:
            reading.begin(response)
            async for chunk in response.aiter_bytes():
                fault = reading.add(chunk)
                if fault is not None:
                    return fault
        finally:
            await response.aclose()
        return reading.reply()
