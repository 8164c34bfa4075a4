"""A shop on FastAPI that takes a payment once and fulfills each order once.

Settings: CARD_PAYMENTS_URL, CARD_PAYMENTS_API_KEY and WEBHOOK_SECRET; optional: SHOP_URL (http://127.0.0.1:8000),
SHOP_DATABASE (shop.db) and RECONCILE_SECONDS (60).
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from card_payments import AsyncCardPayments, CardPaymentsError, WebhookVerificationError, verify_webhook
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

SHOP_URL = os.environ.get("SHOP_URL", "http://127.0.0.1:8000")
RECONCILE_SECONDS = float(os.environ.get("RECONCILE_SECONDS", "60"))
WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"]
PRICE_CENTS = 2500
MOST_BODY_BYTES = 256 * 1024

cp = AsyncCardPayments()
database = sqlite3.connect(os.environ.get("SHOP_DATABASE", "shop.db"), isolation_level=None)
database.execute(
    """CREATE TABLE IF NOT EXISTS orders (
         id TEXT PRIMARY KEY, amount_cents INTEGER NOT NULL, payment_id TEXT,
         fulfilled_at TEXT, closed_at TEXT)"""
)


async def start_payment(order_id: str, amount_cents: int) -> str | None:
    """Returns the address of the checkout page; None once it is closed.

    The key is the order's id, so that a repetition after a crash finds the same payment. Its id is stored before
    the customer can pay.
    """
    payment = await cp.payments.create_once(
        order_id,
        amount_cents=amount_cents,
        currency="USD",
        reference=order_id,
        success_url=f"{SHOP_URL}/orders/{order_id}",
        cancel_url=f"{SHOP_URL}/",
    )
    database.execute("UPDATE orders SET payment_id = ? WHERE id = ?", (payment.id, order_id))
    return payment.checkout_url


async def fulfill_if_paid(payment_id: str) -> None:
    """Reads the payment and fulfills its order. Any number of calls, at once or later, fulfill it once."""
    payment = await cp.payments.retrieve(payment_id)
    if payment.status != "paid":
        return
    changed = database.execute(
        """UPDATE orders SET fulfilled_at = datetime('now')
           WHERE id = ? AND payment_id = ? AND amount_cents = ? AND fulfilled_at IS NULL""",
        (payment.reference, payment.id, payment.amount_cents),
    ).rowcount
    if changed == 1:
        print(f"shipping {payment.reference}", flush=True)


async def reconcile() -> None:
    """Looks at every open order: what webhooks, answers or this process lost is found here."""
    rows = database.execute(
        "SELECT id, amount_cents, payment_id FROM orders WHERE fulfilled_at IS NULL AND closed_at IS NULL"
    ).fetchall()
    for order_id, amount_cents, payment_id in rows:
        # One order that cannot be read must not stop the others.
        with suppress(CardPaymentsError):
            if payment_id is None:
                await start_payment(order_id, amount_cents)
                continue
            await fulfill_if_paid(payment_id)
            outcome = await cp.payments.recover(payment_id, timeout=2)
            if outcome.status in ("failed", "expired"):
                database.execute("UPDATE orders SET closed_at = datetime('now') WHERE id = ?", (order_id,))


async def reconcile_forever() -> None:
    while True:
        await reconcile()
        await asyncio.sleep(RECONCILE_SECONDS)


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Recovers at the start, and then on a schedule."""
    task = asyncio.create_task(reconcile_forever())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await cp.aclose()


app = FastAPI(lifespan=lifespan)


@app.get("/", response_class=HTMLResponse)
async def cart() -> str:
    # The order's id is in the form, so that sending it twice places one order.
    return f"""<!doctype html><html lang="en"><title>Shop</title><h1>Two tickets, $25.00</h1>
<form method="post" action="/orders/{uuid.uuid4()}"><button>Pay</button></form></html>"""


@app.post("/orders/{order_id}")
async def place_order(order_id: uuid.UUID) -> RedirectResponse:
    database.execute(
        "INSERT INTO orders (id, amount_cents) VALUES (?, ?) ON CONFLICT DO NOTHING", (str(order_id), PRICE_CENTS)
    )
    address = await start_payment(str(order_id), PRICE_CENTS)
    return RedirectResponse(address or f"/orders/{order_id}", status_code=303)


@app.get("/orders/{order_id}")
async def show_order(order_id: uuid.UUID) -> dict[str, str]:
    """Where the customer returns to. It proves nothing, so the order's own row is shown."""
    row = database.execute("SELECT fulfilled_at, closed_at FROM orders WHERE id = ?", (str(order_id),)).fetchone()
    if row is None:
        raise HTTPException(404)
    fulfilled_at, closed_at = row
    return {"order": str(order_id), "status": "shipped" if fulfilled_at else "closed" if closed_at else "pending"}


@app.post("/webhooks")
async def receive_webhook(request: Request) -> Response:
    """204: received. 400: not from the service. When this fails the service sends the event again."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            raise HTTPException(413)
    try:
        event = verify_webhook(body, request.headers, WEBHOOK_SECRET)
    except WebhookVerificationError as error:
        raise HTTPException(400) from error
    # New types may come; those that this shop does not use are received and ignored.
    if event.type == "payment.paid":
        await fulfill_if_paid(event.data.id)
    return Response(status_code=204)
