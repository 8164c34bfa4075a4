from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from card_payments import (
    APIConnectionError,
    APIError,
    APITimeoutError,
    AsyncCardPayments,
    AuthenticationError,
    CardPayments,
    ConfigurationError,
    ConflictError,
    GoneError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServiceUnavailableError,
    ValidationError,
)

from fake_service import API_KEY, CARD, ORDER, PAYMENT_ID, Service, cut, data, listed, payment, refusal

KEY = "order-1001-attempt-1"


class TestSettings:
    @pytest.mark.parametrize(
        "base_url",
        [
            "https://pay.example/api",
            "https://pay.example/v1",
            "pay.example",
            "localhost:3000",
            "ftp://pay.example",
            "https://pay.example?x=1",
            "https://user:secret@pay.example",
            "https://",
            "https://pay.example:port",
            "",
            7,
        ],
    )
    def test_refuse_a_base_url_that_cannot_be_used_and_name_no_part_of_it(self, base_url: Any) -> None:
        for make in (CardPayments, AsyncCardPayments):
            with pytest.raises(ConfigurationError) as caught:
                make(api_key=API_KEY, base_url=base_url)
            assert "secret" not in str(caught.value)

    def test_take_a_base_url_with_a_slash(self, kind: str) -> None:
        service = Service(kind, lambda *_: data(payment("paid")), base_url="https://pay.example/")
        service.run(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert service.sent[0].path == f"/v1/payments/{PAYMENT_ID}"

    @pytest.mark.parametrize("key", ["cps_live_sec\nret", "cps_live_sec ret", "cps_live_sécret", ""])
    def test_refuse_a_key_that_cannot_stand_in_a_header_without_showing_it(self, key: str) -> None:
        with pytest.raises(ConfigurationError) as caught:
            CardPayments(api_key=key, base_url="https://a.b")
        assert "cps_live" not in str(caught.value)

    def test_come_from_the_environment_where_they_are_not_given(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CARD_PAYMENTS_API_KEY", raising=False)
        with pytest.raises(ConfigurationError, match="CARD_PAYMENTS_API_KEY"):
            CardPayments(base_url="https://a.b")
        monkeypatch.setenv("CARD_PAYMENTS_API_KEY", API_KEY)
        monkeypatch.setenv("CARD_PAYMENTS_URL", "https://env.example")
        with CardPayments() as cp:
            assert repr(cp) == "CardPayments(base_url='https://env.example')"

    @pytest.mark.parametrize(
        "options",
        [{"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"timeout": "9"}, {"max_retries": -1}],
    )
    def test_refuse_a_time_and_a_number_that_mean_nothing(self, options: Any) -> None:
        with pytest.raises(ConfigurationError):
            CardPayments(api_key=API_KEY, base_url="https://a.b", **options)

    def test_say_that_a_client_is_closed(self) -> None:
        cp = CardPayments(api_key=API_KEY, base_url="https://a.b")
        cp.close()
        with pytest.raises(ConfigurationError, match="closed"):
            cp.payments.retrieve(PAYMENT_ID)

        async def closed() -> None:
            async with AsyncCardPayments(api_key=API_KEY, base_url="https://a.b") as other:
                pass
            await other.payments.retrieve(PAYMENT_ID)

        with pytest.raises(ConfigurationError, match="closed"):
            asyncio.run(closed())


class TestRefusal:
    @pytest.mark.parametrize(
        ("status", "code", "expected"),
        [
            (400, "invalid_request", ValidationError),
            (401, "unauthorized", AuthenticationError),
            (403, "insufficient_scope", PermissionError),
            (404, "not_found", NotFoundError),
            (409, "payment_in_progress", ConflictError),
            (410, "checkout_expired", GoneError),
            (422, "validation_failed", ValidationError),
            (429, "rate_limited", RateLimitError),
            (503, "service_unavailable", ServiceUnavailableError),
            (418, "new_code", APIError),
        ],
    )
    def test_is_an_error_of_its_class_with_what_to_do(
        self, kind: str, status: int, code: str, expected: type[APIError]
    ) -> None:
        headers = {"recovery": "fix_request", "retry_after": "7"}
        service = Service(kind, lambda *_: refusal(status, code, "reference", **headers), max_retries=0)
        error, _ = service.fails(lambda cp: cp.payments.create(**ORDER, idempotency_key=KEY))
        assert type(error) is expected
        known = {"status": status, "code": code, "field": "reference", "recovery": "fix_request"}
        assert known.items() <= vars(error).items()
        assert {"request_id": "req_1", "retry_after_seconds": 7}.items() <= vars(error).items()

    def test_says_which_environment_the_key_is_of_and_not_the_key(self, kind: str) -> None:
        service = Service(kind, lambda *_: refusal(404, "not_found"))
        error, text = service.fails(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert "this key is of sandbox" in str(error)
        assert API_KEY not in text

    def test_crosses_processes_whole(self) -> None:
        service = Service("sync", lambda *_: refusal(404, "not_found"))
        error, _ = service.fails(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


class TestAnswerOfAnother:
    @pytest.mark.parametrize(
        ("status", "content", "expected"),
        [
            (200, {"text": "<html>"}, APIConnectionError),
            (200, {"json": {"ok": True}}, APIConnectionError),
            (200, {"json": {"data": 7}}, APIConnectionError),
            (200, {"content": b'{"data":{"id":'}, APIConnectionError),
            (200, {"content": b"[" * 100_000}, APIConnectionError),
            (502, {"text": "<html>"}, ServiceUnavailableError),
            (302, {"headers": {"location": "https://evil.example"}}, APIError),
            (302, {"headers": {"location": "http://["}}, Exception),
            (200, {"content": bytes(17 * 2**20)}, APIConnectionError),
        ],
    )
    def test_is_a_typed_error(self, kind: str, status: int, content: Any, expected: type[Exception]) -> None:
        service = Service(kind, lambda *_: httpx.Response(status, **content), max_retries=0)
        error, text = service.fails(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert isinstance(error, expected)
        assert isinstance(error, (APIError, APIConnectionError))
        assert API_KEY not in text
        assert len(service.sent) == 1

    def test_is_read_no_further_than_an_answer_of_the_service_could_be(self) -> None:
        mebibytes = []

        def endless() -> Any:
            for number in range(100):
                mebibytes.append(number)
                yield bytes(2**20)

        service = Service("sync", lambda *_: httpx.Response(200, content=endless()), max_retries=0)
        error, _ = service.fails(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert isinstance(error, APIConnectionError)
        assert len(mebibytes) < 30


class TestRequest:
    @pytest.mark.parametrize(
        "id", ["a/b", "..", "", f"{PAYMENT_ID}/pay", "x?y=1", "é", "%2e%2e", "a\n", None]
    )
    def test_is_not_sent_for_another_id(self, kind: str, id: Any) -> None:
        service = Service(kind, lambda *_: data({}))
        error, _ = service.fails(lambda cp: cp.sandbox.set_outcome(id, outcome="paid"))
        assert isinstance(error, ValidationError)
        assert (error.field, service.sent) == ("id", [])

    @pytest.mark.parametrize(
        ("field", "call"),
        [
            ("idempotency_key", lambda cp: cp.payments.create(**ORDER, idempotency_key="short")),
            ("body", lambda cp: cp.payments.create(**ORDER, metadata={"at": object()}, idempotency_key=KEY)),
            (
                "body",
                lambda cp: cp.payments.create(**ORDER, metadata={"x": float("nan")}, idempotency_key=KEY),
            ),
            (
                "body",
                lambda cp: cp.webhook_endpoints.replay(PAYMENT_ID, since=datetime(2026, 3, 1), status="all"),
            ),
            ("query", lambda cp: cp.payments.timeline(PAYMENT_ID, at=datetime(2026, 3, 1))),
            ("card", lambda cp: cp.payments.pay(PAYMENT_ID, {"cardToken": "tok_secret"})),
            ("card", lambda cp: cp.payments.pay_and_wait(PAYMENT_ID, {"cardToken": "tok_secret"})),
            ("timeout", lambda cp: cp.payments.retrieve(PAYMENT_ID, timeout=0)),
            ("timeout", lambda cp: cp.payments.recover(PAYMENT_ID, timeout=float("nan"))),
        ],
    )
    def test_is_not_sent_with_an_argument_that_cannot_be_sent(self, kind: str, field: str, call: Any) -> None:
        service = Service(kind, lambda *_: data({}))
        error, text = service.fails(call)
        assert isinstance(error, ValidationError)
        assert (error.field, service.sent) == (field, [])
        assert "tok_secret" not in text.replace('{"cardToken": "tok_secret"}', "")

    def test_has_its_instants_its_lists_and_its_names_as_the_api_spells_them(self, kind: str) -> None:
        service = Service(kind, lambda *_: data({}))
        since = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))
        service.run(
            lambda cp: cp.webhook_endpoints.replay(PAYMENT_ID, since=since, status="all", dry_run=True)
        )
        line = {"name": "Tea", "quantity": 1, "amount_cents": 2500}
        given = {"customer": {"document_number": "7"}, "metadata": {"cart_id": 1}, "line_items": [line]}
        service.run(lambda cp: cp.payments.create(**ORDER, **given, idempotency_key=KEY))
        service.run(lambda cp: cp.branding.update(accent=None))
        service.run(lambda cp: cp.payments.timeline(PAYMENT_ID, requests=True))
        bodies = [request.body for request in service.sent]
        assert bodies[0] == {"since": "2026-03-01T11:00:00.000Z", "status": "all", "dryRun": True}
        assert bodies[1]["customer"] == {"documentNumber": "7"}
        assert bodies[1]["metadata"] == {"cart_id": 1}
        assert bodies[1]["lineItems"] == [{"name": "Tea", "quantity": 1, "amountCents": 2500}]
        # None clears a field, and what is not given stays as it is.
        assert bodies[2] == {"accent": None}
        assert service.sent[3].query == {"requests": "true"}

    @pytest.mark.parametrize("respond", [lambda *_: cut(), lambda *_: refusal(503, "service_unavailable")])
    def test_that_takes_no_key_is_sent_once_whatever_happens(self, kind: str, respond: Any) -> None:
        service = Service(kind, respond)
        error, text = service.fails(lambda cp: cp.payments.pay(PAYMENT_ID, CARD))
        assert isinstance(error, (APIConnectionError, ServiceUnavailableError))
        assert not any(secret in text for secret in (API_KEY, "4242424242424242", "cs_4n", CARD.card_token))
        assert len(service.sent) == 1

    def test_that_is_safe_is_tried_three_times_in_all_with_the_same_key(self, kind: str) -> None:
        service = Service(kind, lambda *_: cut())
        error, text = service.fails(lambda cp: cp.payments.create(**ORDER, idempotency_key=KEY))
        assert isinstance(error, APIConnectionError)
        assert error.reason == "ReadError"
        assert API_KEY not in text
        assert [request.headers["idempotency-key"] for request in service.sent] == [KEY, KEY, KEY]

    def test_is_repeated_after_429_whatever_it_is_and_after_retry_after(self, kind: str) -> None:
        answers = [refusal(429, "rate_limited", retry_after="0"), data({"status": "paid"})]
        service = Service(kind, lambda _, number: answers[number - 1])
        assert service.run(lambda cp: cp.payments.pay(PAYMENT_ID, CARD)).status == "paid"
        assert len(service.sent) == 2

    def test_is_not_kept_waiting_for_a_long_retry_after(self, kind: str) -> None:
        service = Service(kind, lambda *_: refusal(429, "rate_limited", retry_after="3600"))
        error, _ = service.fails(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert isinstance(error, RateLimitError)
        assert (error.retry_after_seconds, len(service.sent)) == (3600, 1)

    def test_that_waits_gets_the_time_for_it(self, kind: str) -> None:
        timeouts = []

        class Transport(httpx.MockTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                timeouts.append(request.extensions["timeout"]["read"])
                return super().handle_request(request)

        client = httpx.Client(transport=Transport(lambda _: data({"status": "open"})))
        cp = CardPayments(api_key=API_KEY, base_url="https://a.b", http_client=client, timeout=5)
        cp.payments.status(PAYMENT_ID)
        cp.payments.status(PAYMENT_ID, wait_seconds=25)
        cp.payments.status(PAYMENT_ID, wait_seconds=25, timeout=1)
        assert timeouts == [5, 35, 1]

    def test_ends_after_its_time(self) -> None:
        async def never() -> None:
            async def hang(_: httpx.Request) -> httpx.Response:
                await asyncio.Event().wait()
                raise AssertionError

            async with httpx.AsyncClient(transport=httpx.MockTransport(hang)) as client:
                cp = AsyncCardPayments(
                    api_key=API_KEY, base_url="https://a.b", http_client=client, timeout=0.05, max_retries=0
                )
                await cp.payments.retrieve(PAYMENT_ID)

        with pytest.raises(APITimeoutError):
            asyncio.run(never())

    def test_ends_with_the_task_that_made_it_and_is_not_repeated(self) -> None:
        sent = []

        async def canceled() -> None:
            began = asyncio.Event()

            async def hang(request: httpx.Request) -> httpx.Response:
                sent.append(request)
                began.set()
                await asyncio.Event().wait()
                raise AssertionError

            async with httpx.AsyncClient(transport=httpx.MockTransport(hang)) as client:
                cp = AsyncCardPayments(api_key=API_KEY, base_url="https://a.b", http_client=client)
                before = asyncio.ensure_future(cp.payments.retrieve(PAYMENT_ID))
                before.cancel()
                during = asyncio.ensure_future(cp.payments.retrieve(PAYMENT_ID))
                await began.wait()
                during.cancel()
                results = await asyncio.gather(before, during, return_exceptions=True)
                assert [type(result) for result in results] == [asyncio.CancelledError] * 2

        asyncio.run(canceled())
        assert len(sent) == 1

    def test_may_be_made_a_thousand_times_at_once(self) -> None:
        blocking = Service("sync", lambda *_: data(payment("paid")))

        def at_once(cp: CardPayments) -> set[str]:
            with ThreadPoolExecutor(32) as threads:
                return {known.status for known in threads.map(cp.payments.retrieve, [PAYMENT_ID] * 1_000)}

        async def all_at_once(cp: AsyncCardPayments) -> set[str]:
            all_of_them = await asyncio.gather(*(cp.payments.retrieve(PAYMENT_ID) for _ in range(1_000)))
            return {known.status for known in all_of_them}

        assert blocking.run(at_once) == {"paid"}
        awaited = Service("async", lambda *_: data(payment("paid")))
        assert awaited.run(all_at_once) == {"paid"}
        assert (len(blocking.sent), len(awaited.sent)) == (1_000, 1_000)


class TestAnswer:
    def test_has_its_status_headers_and_request_id_too(self, kind: str) -> None:
        service = Service(kind, lambda *_: data(payment("paid"), idempotent_replayed="true"))
        answer = service.run(lambda cp: cp.payments.with_response.retrieve(PAYMENT_ID))
        assert (answer.data.status, answer.status, answer.request_id) == ("paid", 200, "req_1")
        assert answer.headers["idempotent-replayed"] == "true"

    def test_keeps_unknown_members_and_values(self, kind: str) -> None:
        known = payment("underReview", newField=[1], customer={"email": None, "name": None, "tier": "gold"})
        service = Service(kind, lambda *_: data(known))
        read = service.run(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        assert (read.status, read.extra, read.customer.extra) == (
            "underReview",
            {"newField": [1]},
            {"tier": "gold"},
        )
        # Missing members are None: they may have been left out since.
        assert read.net_cents is None
        assert copy.deepcopy(read) == read

    def test_keeps_a_kind_that_is_unknown(self, kind: str) -> None:
        service = Service(kind, lambda *_: data({"status": "partlyPaid", "paidCents": 7}))
        result = service.run(lambda cp: cp.payments.pay(PAYMENT_ID, CARD))
        assert (result.status, result.paid_cents, hasattr(result, "other")) == ("partlyPaid", 7, False)
        assert copy.deepcopy(pickle.loads(pickle.dumps(result))) == result

    def test_shows_no_secret_where_it_is_printed(self, kind: str) -> None:
        secret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0"
        answers = [
            {"url": "https://shop.example", "secret": secret},
            {**payment("pending"), "checkoutUrl": "https://pay.example/c/secret"},
            {
                "capture": {"secret": "cs_secret"},
                "pciConfig": {},
                "actionUrl": "https://pay.example/a/secret",
            },
            {"status": "requiresAction", "clientSecret": "secret", "newSecret": "secret"},
        ]
        service = Service(kind, lambda _, number: data(answers[number - 1]))
        results = [
            service.run(lambda cp: cp.webhook_endpoints.with_response.rotate_secret(PAYMENT_ID)),
            service.run(lambda cp: cp.payments.retrieve(PAYMENT_ID)),
            service.run(lambda cp: cp.payments.prepare_capture(PAYMENT_ID)),
            service.run(lambda cp: cp.payments.pay(PAYMENT_ID, CARD)),
            CARD,
        ]
        assert results[0].data.secret == secret
        assert not any(part in repr(results) for part in (secret, "secret=", "'secret'", "/secret", "tok_"))


class TestList:
    @staticmethod
    def numbered(request: Any, _: int) -> httpx.Response:
        page = int(request.query.get("page", "1"))
        return listed([payment("paid", id=str(page))], {"page": page, "perPage": 1, "total": 3})

    def test_is_a_page_and_every_row_of_it_when_iterated(self) -> None:
        service = Service("sync", self.numbered)
        page = service.run(lambda cp: cp.payments.list(status="paid", per_page=1))
        assert (len(page.data), page.meta.total, page.has_next_page) == (1, 3, True)
        rows = service.run(lambda cp: [row.id for row in cp.payments.list(status="paid", per_page=1)])
        assert rows == ["1", "2", "3"]
        # The filters hold for every page.
        assert {request.query["status"] for request in service.sent} == {"paid"}

    def test_is_a_page_when_awaited_and_every_row_of_it_with_async_for(self) -> None:
        service = Service("async", self.numbered)

        async def read(cp: AsyncCardPayments) -> object:
            page = await cp.payments.list(status="paid", per_page=1)
            following = await page.next_page()
            assert following is not None
            rows = [row.id async for row in cp.payments.list(status="paid", per_page=1)]
            return page.meta.total, page.has_next_page, following.data[0].id, rows

        assert service.run(read) == (3, True, "2", ["1", "2", "3"])

    def test_by_cursor_ends_with_the_last_cursor(self, kind: str) -> None:
        def respond(request: Any, _: int) -> httpx.Response:
            return listed([payment("paid")], {"nextCursor": None if "cursor" in request.query else "c1"})

        service = Service(kind, respond)

        async def awaited(cp: AsyncCardPayments) -> int:
            return len([row async for row in cp.payments.search(reference="order-1001")])

        def blocking(cp: CardPayments) -> int:
            return len(list(cp.payments.search(reference="order-1001")))

        assert service.run(blocking if kind == "sync" else awaited) == 2
        answer = service.run(lambda cp: cp.payments.with_response.search(from_=date(2026, 3, 1)))
        assert (answer.status, len(answer.data.data)) == (200, 1)
        assert service.sent[-1].query == {"from": "2026-03-01"}


class TestHooks:
    def test_learn_the_call_and_its_answer_and_no_body_header_query_secret_or_card(self, kind: str) -> None:
        seen: list[Any] = []
        service = Service(
            kind,
            lambda _, number: cut() if number == 1 else data(payment("paid")),
            on_request=seen.append,
            on_response=seen.append,
        )
        service.run(lambda cp: cp.payments.retrieve(PAYMENT_ID))
        service.run(
            lambda cp: cp.payments.create(**ORDER, metadata={"n": "4242424242424242"}, idempotency_key=KEY)
        )
        service.run(lambda cp: cp.payments.retrieve("4242424242424242"))
        service.run(lambda cp: cp.payments.pay(PAYMENT_ID, CARD))
        assert [(event.path, event.id, event.attempt) for event in seen[:4]] == [
            ("/v1/payments/{id}", PAYMENT_ID, 1),
            ("/v1/payments/{id}", PAYMENT_ID, 1),
            ("/v1/payments/{id}", PAYMENT_ID, 2),
            ("/v1/payments/{id}", PAYMENT_ID, 2),
        ]
        assert [(seen[1].status, seen[1].request_id), (seen[3].status, seen[3].request_id)] == [
            (None, None),
            (200, "req_1"),
        ]
        assert not any(part in repr(seen) for part in ("4242424242", "cps_", "order-1001", "tok_"))

    def test_cannot_fail_a_call(self, kind: str) -> None:
        def fail(_: object) -> None:
            raise RuntimeError("a fault of the log")

        service = Service(kind, lambda *_: data(payment("paid")), on_request=fail, on_response=fail)
        assert service.run(lambda cp: cp.payments.retrieve(PAYMENT_ID)).status == "paid"
