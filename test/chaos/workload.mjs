import { setTimeout as sleep } from 'node:timers/promises';
import { refundAndDispute } from './refunds-and-disputes.mjs';
import { randomFrom } from './random.mjs';

const callMs = 30_000;

/**
 * One merchant's backend with one payment, behaving as the specification's retry rules say, or rudely. Everything it
 * sends and sees goes into `history`: `{client, op, paymentId, key, startedAt, endedAt, result, status, code, data}`,
 * where `result` is `ok`, `fail` (a definite refusal) or `unknown` (no answer, or 503).
 */
export async function runClient({ client, apis, apiKey, history, until, refundsUntil }) {
  const random = randomFrom(client.seed);
  let payment = null;

  async function call(op, method, path, body, key) {
    const startedAt = Date.now();
    const entry = { client: client.index, op, paymentId: payment, key: key ?? null, startedAt };
    try {
      const response = await fetch(random.pick(apis) + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(callMs),
      });
      const text = await response.text();
      const parsed = JSON.parse(text);
      const ok = response.status >= 200 && response.status < 300;
      Object.assign(entry, {
        result: ok ? 'ok' : response.status === 503 ? 'unknown' : 'fail',
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        code: parsed.error?.code ?? null,
        data: parsed.data ?? null,
        text,
      });
    } catch (error) {
      Object.assign(entry, {
        result: 'unknown',
        status: null,
        code: null,
        data: null,
        text: String(error?.cause?.code ?? error?.name),
      });
    }
    entry.endedAt = Date.now();
    history.push(entry);
    return entry;
  }

  const pause = (low, high) => sleep(random.between(low, high));
  const over = () => Date.now() > until;

  /** Repeats an operation that may be repeated until its answer is definite. */
  async function insist(op, method, path, body, key) {
    for (let tries = 0; tries < 40 && !over(); tries += 1) {
      const answer = await call(op, method, path, body, key);
      const busy = answer.code === 'idempotency_in_progress';
      if (answer.result !== 'unknown' && !busy) return answer;
      await pause(100, 600);
    }
    return null;
  }

  await sleep(client.startMs);
  const key = `chaos-${client.seed}-${client.index}-${Date.now()}`;
  const created = await insist(
    'create',
    'POST',
    '/v1/payments',
    {
      amountCents: client.amountCents,
      currency: 'USD',
      reference: `order-${client.index}`,
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      checkoutMode: 'custom',
      metadata: { client: client.index },
    },
    key,
  );
  if (created?.result !== 'ok') return;
  payment = created.data.id;
  const path = `/v1/payments/${payment}`;
  if (random.chance(0.3)) {
    await insist(
      'create',
      'POST',
      '/v1/payments',
      // The same body, its fields in another order.
      {
        metadata: { client: client.index },
        checkoutMode: 'custom',
        cancelUrl: 'https://shop.example/no',
        successUrl: 'https://shop.example/ok',
        reference: `order-${client.index}`,
        currency: 'USD',
        amountCents: client.amountCents,
      },
      key,
    );
  }
  if (client.behaviour === 'leaves') return;
  const prepared = await insist('capture', 'POST', `${path}/capture`);
  if (prepared?.result !== 'ok') return;
  if (random.chance(0.3)) await call('capture', 'POST', `${path}/capture`);
  const card = await sendCard(prepared.data.capture, client.card, over);
  if (!card) return;

  const pay = () => call('pay', 'POST', `${path}/pay`, card);
  const status = () => call('status', 'GET', `${path}/status`);
  for (let tries = 0; tries < 8 && !over(); tries += 1) {
    if (client.behaviour === 'paysTwiceAtOnce') await Promise.all([pay(), pay(), pay()]);
    else await pay();
    if (client.behaviour === 'paysAgainBlindly') await pay();
    const seen = await settleDown();
    if (seen === 'requiresAction') {
      await completeAction();
      if ((await settleDown()) !== 'failed_retryable') break;
    } else if (seen !== 'failed_retryable' && seen !== 'open') break;
    await pause(50, 400);
  }
  const last = await insist('read', 'GET', path);
  if (last?.data?.status === 'paid') {
    until = refundsUntil;
    await refundAndDispute({ client, payment: last.data, random, call, insist, pause, over });
  }

  /** Polls until the checkout waits for somebody or is closed. */
  async function settleDown() {
    while (!over()) {
      const seen = await status();
      if (seen.result === 'ok' && seen.data.status !== 'processing') return seen.data.status;
      if (random.chance(0.3)) await call('read', 'GET', path);
      await pause(150, 700);
    }
    return null;
  }

  /** Follows the action URL as the customer's browser does, and approves or fails the challenge. */
  async function completeAction() {
    const checkout = await insist('checkout', 'GET', `${path}/checkout`);
    const actionUrl = checkout?.data?.actionUrl;
    if (!actionUrl) return;
    for (let tries = 0; tries < 20 && !over(); tries += 1) {
      try {
        const redirect = await browse(actionUrl);
        const challenge = redirect.headers.get('location');
        if (!challenge) return;
        const back = await press(challenge, 'approve');
        if (back && random.chance(0.8)) await browse(back);
        return;
      } catch {
        await pause(100, 500);
      }
    }
  }
}

const browse = (url, init = {}) =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(callMs), ...init });

/** Presses a button of the network's page without a browser; answers where the customer is sent. */
async function press(url, button) {
  const html = await (await browse(url)).text();
  const at = html.indexOf(`data-testid="challenge-${button}"`);
  const form = html.slice(html.lastIndexOf('<form', at), at);
  const action = /action="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const tag = html.slice(html.lastIndexOf('<', at), html.indexOf('>', at) + 1);
  const name = /name="([^"]*)"/.exec(tag)?.[1];
  const value = /value="([^"]*)"/.exec(tag)?.[1] ?? '';
  const response = await browse(new URL(action, url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: name === undefined ? '' : new URLSearchParams({ [name]: value }).toString(),
  });
  return response.headers.get('location');
}

/** Sends the card to the vault; a lost answer is tried again, a refusal is final. */
async function sendCard(access, number, over) {
  for (let tries = 0; tries < 10 && !over(); tries += 1) {
    try {
      const response = await browse(access.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-cardvault-capture-secret': access.secret },
        body: JSON.stringify({
          card_number: number,
          card_cvv: number.startsWith('3') ? '1234' : '123',
          card_expiry_month: '12',
          card_expiry_year: '40',
        }),
      });
      const body = await response.json();
      if (response.ok && body.reference === access.reference) {
        return { cardToken: body.token, captureReference: body.reference };
      }
      if (response.status < 500) return null;
    } catch {
      // No answer: the vault takes the same card again.
    }
    await sleep(300);
  }
  return null;
}
