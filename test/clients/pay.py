"""Makes the README's payment with the client that openapi-python-client has generated from the document.

Run by test/clients/main.ts, beside the package `generated`. Arguments: the address of the service, a sandbox
key. Ends with exit code 1 when an answer is not what the document promises.
"""

import sys
from uuid import uuid4

from generated import AuthenticatedClient
from generated.api.payments import create_payment, pay, prepare_capture, retrieve_payment
from generated.api.sandbox import order_outcome
from generated.models import (
    CheckoutMode,
    CreatePayment,
    CreatePaymentCurrency,
    Error,
    Pay,
    SandboxOutcome,
    SandboxOutcomeOutcome,
)

base_url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key)


def create(**more):
    body = CreatePayment(
        amount_cents=2500,
        currency=CreatePaymentCurrency.USD,
        reference="order-1001",
        success_url=f"{base_url}/demo/thanks",
        cancel_url="https://shop.example/cart",
        **more,
    )
    created = create_payment.sync(client=client, body=body, idempotency_key=uuid4().hex)
    return created.data


# A hosted payment, from its creation to its end.
hosted = create()
assert hosted.checkout_url.startswith(f"{base_url}/c/"), hosted
outcome = SandboxOutcome(outcome=SandboxOutcomeOutcome.PAID)
order_outcome.sync(id=hosted.id, client=client, body=outcome, idempotency_key=uuid4().hex)
paid = retrieve_payment.sync(id=hosted.id, client=client).data
assert (paid.status.value, paid.amount_cents) == ("paid", 2500), paid

# A card capture: the answer of prepare, and a refusal.
custom = create(checkout_mode=CheckoutMode.CUSTOM)
checkout = prepare_capture.sync(id=custom.id, client=client).data
assert checkout.status.value == "open" and len(checkout.capture.secret) >= 16
token = Pay(card_token="tok_0123456789abcdef", capture_reference=checkout.capture.reference)
refused = pay.sync(id=custom.id, client=client, body=token)
assert isinstance(refused, Error) and refused.error.code.value == "card_token_rejected", refused
print("the generated Python client made its payments")
