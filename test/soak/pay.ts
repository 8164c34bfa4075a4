import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Stack, call, callAndParse } from './api.ts';

const vaultMs = 5_000;
const maxTries = 120;

const created = z.object({ id: z.string() });
const prepared = z.object({ capture: z.object({ url: z.string(), secret: z.string() }) });
const shown = z.object({ status: z.string() });
const captured = z.object({ token: z.string(), reference: z.string() });

/**
 * Pays one payment although processes die meanwhile; returns its id. Throws when it is not paid after a
 * minute of tries.
 */
export async function pay(stack: Stack, index: number): Promise<string> {
  const { id } = await callAndParse(
    stack,
    {
      method: 'POST',
      path: '/v1/payments',
      idempotencyKey: randomUUID(),
      body: {
        amountCents: 2500,
        currency: 'USD',
        reference: `soak-${index}`,
        checkoutMode: 'custom',
        successUrl: 'https://shop.example/ok',
        cancelUrl: 'https://shop.example/no',
      },
    },
    created,
  );
  const path = `/v1/payments/${id}`;
  const { capture } = await callAndParse(stack, { method: 'POST', path: `${path}/capture` }, prepared);
  const card = await captureCard(capture);
  for (let tries = 0; tries < maxTries; tries += 1) {
    await call(stack, { method: 'POST', path: `${path}/pay`, body: card });
    const { status } = await callAndParse(stack, { method: 'GET', path }, shown);
    if (status === 'paid') return id;
    await sleep(500);
  }
  throw new Error(`payment ${id} was not paid`);
}

async function captureCard(capture: {
  url: string;
  secret: string;
}): Promise<{ cardToken: string; captureReference: string }> {
  for (;;) {
    try {
      const response = await fetch(capture.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-cardvault-capture-secret': capture.secret },
        body: JSON.stringify({
          card_number: '4242424242424242',
          card_cvv: '123',
          card_expiry_month: '12',
          card_expiry_year: '40',
        }),
        signal: AbortSignal.timeout(vaultMs),
      });
      const { token, reference } = captured.parse(await response.json());
      return { cardToken: token, captureReference: reference };
    } catch {
      // The vault takes the same card again.
      await sleep(300);
    }
  }
}
