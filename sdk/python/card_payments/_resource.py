"""The base classes of both clients' resources."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar, cast

from ._drivers import AsyncDriver, Driver
from ._flow import Flow
from ._pages import AsyncList, AsyncPage, Page, Position
from ._settings import Settings
from ._transport import Call, WithResponse, send, send_for

T = TypeVar("T")
Item = TypeVar("Item")
Meta = TypeVar("Meta")
P = ParamSpec("P")

OUTCOME_TIMEOUT_SECONDS = 60.0

Rows = tuple[Callable[[Any], Item], Callable[[Any], Meta]]


class Resource:
    """Calls that block. With `keeps`, they return a result with its answer, as their wrappers declare it."""

    def __init__(self, settings: Settings, driver: Driver, keeps: bool = False) -> None:
        self._settings = settings
        self._driver = driver
        self._keeps = keeps

    def _run(self, flow: Flow[WithResponse[T]]) -> T:
        answer = self._driver.run(flow)
        return cast(T, answer) if self._keeps else answer.data

    def _object(self, parse: Callable[[Mapping[str, Any]], T], call: Call) -> T:
        return self._run(send_for(self._settings, call, parse))

    def _list(self, rows: Rows[Item, Meta], call: Call) -> Page[Item, Meta]:
        return self._run(self._page(rows, call))

    def _page(self, rows: Rows[Item, Meta], call: Call) -> Flow[WithResponse[Page[Item, Meta]]]:
        def load(position: Position) -> Page[Item, Meta]:
            return self._driver.run(self._page(rows, _at(call, position))).data

        answer = yield from send(self._settings, call)
        page: WithResponse[Page[Item, Meta]] = answer.of(Page(answer.data, rows, load))
        return page


class AsyncResource:
    """Calls to await. With `keeps`, they return a result with its answer, as their wrappers declare it."""

    def __init__(self, settings: Settings, driver: AsyncDriver, keeps: bool = False) -> None:
        self._settings = settings
        self._driver = driver
        self._keeps = keeps

    async def _run(self, flow: Flow[WithResponse[T]]) -> T:
        answer = await self._driver.run(flow)
        return cast(T, answer) if self._keeps else answer.data

    async def _object(self, parse: Callable[[Mapping[str, Any]], T], call: Call) -> T:
        return await self._run(send_for(self._settings, call, parse))

    def _list(self, rows: Rows[Item, Meta], call: Call) -> AsyncList[Item, Meta]:
        return AsyncList(lambda: self._driver.run(self._page(rows, call)), self._keeps)

    def _page(self, rows: Rows[Item, Meta], call: Call) -> Flow[WithResponse[AsyncPage[Item, Meta]]]:
        async def load(position: Position) -> AsyncPage[Item, Meta]:
            return (await self._driver.run(self._page(rows, _at(call, position)))).data

        answer = yield from send(self._settings, call)
        page: WithResponse[AsyncPage[Item, Meta]] = answer.of(AsyncPage(answer.data, rows, load))
        return page


def _at(call: Call, position: Position) -> Call:
    """Returns a call for another page. The filters hold for every page."""
    return replace(call, query={**call.query, **position})


def with_response(call: Callable[P, T]) -> Callable[P, WithResponse[T]]:
    """Returns a call of a resource that keeps answers, with the type of what it returns."""
    return cast(Callable[P, WithResponse[T]], call)


def async_with_response(call: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[WithResponse[T]]]:
    """Returns a call of a resource that keeps answers, with the type of what it returns."""
    return cast(Callable[P, Awaitable[WithResponse[T]]], call)
