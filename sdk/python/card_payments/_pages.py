"""Lists: a page, the pages after it, and the rows of all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from typing import Any, Generic, TypeVar

from ._transport import WithResponse

Item = TypeVar("Item")
Meta = TypeVar("Meta")

Position = Mapping[str, object]


def rows_of(body: Mapping[str, Any]) -> list[Any]:
    """Returns the rows of a page."""
    rows = body.get("data")
    return rows if isinstance(rows, list) else []


def next_position(meta: object, rows: int) -> Position | None:
    """Returns the position of the next page; None after the last. A list has page numbers or cursors."""
    if not isinstance(meta, Mapping):
        return None
    if "nextCursor" in meta:
        return None if meta["nextCursor"] is None else {"cursor": meta["nextCursor"]}
    page, per_page, total = (meta.get(name) for name in ("page", "perPage", "total"))
    if not (isinstance(page, int) and isinstance(per_page, int) and isinstance(total, int)):
        return None
    return None if rows == 0 or page * per_page >= total else {"page": page + 1}


class _PageData(Generic[Item, Meta]):
    data: list[Item]
    """The rows of this page."""
    meta: Meta
    """The position of this page in its list."""

    def __init__(
        self, body: Mapping[str, Any], row: Callable[[Any], Item], meta: Callable[[Any], Meta]
    ) -> None:
        rows = rows_of(body)
        self.data = [row(value) for value in rows]
        self.meta = meta(body.get("meta"))
        self._next = next_position(body.get("meta"), len(rows))

    @property
    def has_next_page(self) -> bool:
        """Whether there is a page after this one."""
        return self._next is not None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.data)} rows, meta={self.meta!r})"


class Page(_PageData[Item, Meta]):
    """One page of a list. Iterating over it continues with the pages after it."""

    def __init__(
        self,
        body: Mapping[str, Any],
        parse: tuple[Callable[[Any], Item], Callable[[Any], Meta]],
        load: Callable[[Position], Page[Item, Meta]],
    ) -> None:
        super().__init__(body, *parse)
        self._load = load

    def next_page(self) -> Page[Item, Meta] | None:
        """Returns the page after this one; None after the last."""
        return None if self._next is None else self._load(self._next)

    def __iter__(self) -> Iterator[Item]:
        page: Page[Item, Meta] | None = self
        while page is not None:
            yield from page.data
            page = page.next_page()


class AsyncPage(_PageData[Item, Meta]):
    """One page of a list. Iterating over it continues with the pages after it."""

    def __init__(
        self,
        body: Mapping[str, Any],
        parse: tuple[Callable[[Any], Item], Callable[[Any], Meta]],
        load: Callable[[Position], Awaitable[AsyncPage[Item, Meta]]],
    ) -> None:
        super().__init__(body, *parse)
        self._load = load

    async def next_page(self) -> AsyncPage[Item, Meta] | None:
        """Returns the page after this one; None after the last."""
        return None if self._next is None else await self._load(self._next)

    async def __aiter__(self) -> AsyncIterator[Item]:
        page: AsyncPage[Item, Meta] | None = self
        while page is not None:
            for item in page.data:
                yield item
            page = await page.next_page()


class AsyncList(Generic[Item, Meta]):
    """The first page of a list when it is awaited, and the whole list with `async for`."""

    def __init__(
        self, read: Callable[[], Awaitable[WithResponse[AsyncPage[Item, Meta]]]], keeps: bool
    ) -> None:
        self._read = read
        self._keeps = keeps

    def __await__(self) -> Generator[Any, None, AsyncPage[Item, Meta]]:
        return self._first().__await__()

    async def _first(self) -> Any:
        answer = await self._read()
        return answer if self._keeps else answer.data

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for item in (await self._read()).data:
            yield item
