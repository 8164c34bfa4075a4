import { foreignCall } from '../../chaos/answer-checks.ts';
import type { Call } from '../../chaos/history.ts';
import type { Method } from '../../chaos/api-client.ts';
import { Caller } from './caller.ts';
import type { Dashboard } from './dashboard.ts';

/** A request that names an object of another merchant. */
interface Attempted {
  method: Method;
  /** The path with this id. */
  path: (id: string) => string;
  body?: object;
}

const get = (path: Attempted['path']): Attempted => ({ method: 'GET', path });
const post = (path: Attempted['path'], body?: object): Attempted => ({
  method: 'POST',
  path,
  ...(body && { body }),
});

/** The requests about an object of each list, each valid for an own object in some state. */
const attempts = {
  payments: [
    get((id) => `/v1/payments/${id}`),
    get((id) => `/v1/payments/${id}?waitSeconds=1`),
    get((id) => `/v1/payments/${id}/status`),
    get((id) => `/v1/payments/${id}/checkout`),
    get((id) => `/v1/payments/${id}/timeline`),
    get((id) => `/v1/payments/${id}/refunds`),
    get((id) => `/v1/payments/${id}/disputes`),
    post((id) => `/v1/payments/${id}/capture`),
    post((id) => `/v1/payments/${id}/pay`, { cardToken: 'tok_simulated', captureReference: 'cap_simulated' }),
    post((id) => `/v1/payments/${id}/confirm`, {}),
    post((id) => `/v1/payments/${id}/refunds`, { amountCents: 1 }),
    post((id) => `/v1/sandbox/payments/${id}/outcome`, { outcome: 'paid' }),
    post((id) => `/v1/sandbox/payments/${id}/challenge`, { result: 'authenticated' }),
    post((id) => `/v1/sandbox/payments/${id}/advance-clock`, { bySeconds: 5 }),
    post((id) => `/v1/sandbox/payments/${id}/disputes`, { reason: 'duplicate' }),
  ],
  refunds: [
    get((id) => `/v1/refunds/${id}`),
    post((id) => `/v1/refunds/${id}/cancel`),
    post((id) => `/v1/sandbox/refunds/${id}/outcome`, { outcome: 'failed' }),
  ],
  disputes: [
    get((id) => `/v1/disputes/${id}`),
    { method: 'PUT', path: (id) => `/v1/disputes/${id}/evidence`, body: { note: 'losing_evidence' } },
    post((id) => `/v1/disputes/${id}/submit`),
    post((id) => `/v1/disputes/${id}/accept`),
    post((id) => `/v1/sandbox/disputes/${id}/resolve`, { outcome: 'lost' }),
  ],
  events: [get((id) => `/v1/events/${id}`), post((id) => `/v1/events/${id}/redeliver`, {})],
  'payment-links': [
    get((id) => `/v1/payment-links/${id}`),
    { method: 'PATCH', path: (id) => `/v1/payment-links/${id}`, body: { active: false } },
  ],
  'webhook-endpoints': [
    get((id) => `/v1/webhook-endpoints/${id}`),
    get((id) => `/v1/webhook-endpoints/${id}/deliveries`),
    { method: 'PATCH', path: (id) => `/v1/webhook-endpoints/${id}`, body: { status: 'disabled' } },
    { method: 'DELETE', path: (id) => `/v1/webhook-endpoints/${id}` },
    post((id) => `/v1/webhook-endpoints/${id}/test`),
    post((id) => `/v1/webhook-endpoints/${id}/rotate-secret`),
  ],
} as const satisfies Record<string, readonly Attempted[]>;

/** An id of the same form that no object has. */
const unknownOf = (id: string): string => (id.startsWith('evt_') ? `evt_${'0'.repeat(24)}` : unknownUuid);
const unknownUuid = '01980000-0000-7000-8000-000000000000';

/**
 * Plays another merchant that knows ids of this shop, and a stolen key that may be used from other addresses
 * only. Checks I15: each answer equals that for an unknown id, byte for byte. That nothing changed is checked
 * by everything else that is observed of the shop.
 */
export async function askForOthers(caller: Caller, { stranger, found }: Dashboard): Promise<void> {
  const { random, client } = caller;
  const asStranger = caller.withKey(stranger.apiKey);
  for (const [list, requests] of Object.entries(attempts)) {
    const { ids } = await caller.list(`/v1/${list}${list === 'events' ? '?limit=20' : '?perPage=20'}`);
    const id = ids[random.below(Math.max(1, ids.length))];
    if (id === undefined || client.isOver) continue;
    for (const request of requests as readonly Attempted[]) {
      await client.pause(20, 300);
      const foreign = await ask(asStranger, request, id);
      const unknown = await ask(asStranger, request, unknownOf(id));
      const what = `${request.method} ${request.path(':id')}`;
      const paymentId = list === 'payments' ? id : null;
      if (foreign.result === 'ok') {
        found.push({ invariant: 'I15', paymentId, detail: `${what} of another merchant was accepted` });
      } else if (isDefinite(foreign) && isDefinite(unknown) && textOf(foreign) !== textOf(unknown)) {
        const detail = `${what} of another merchant was answered ${textOf(foreign)}, not ${textOf(unknown)}`;
        found.push({ invariant: 'I15', paymentId, detail });
      }
    }
  }
  await createBeyondSettings(caller, { stranger, found });
  const elsewhere = caller.withKey(stranger.keyElsewhere);
  const read = await ask(
    elsewhere,
    get(() => '/v1/payments'),
    '',
  );
  if (read.result === 'ok') {
    const detail = 'a key was accepted from an address that it does not allow';
    found.push({ invariant: 'I15', paymentId: null, detail });
  }
  await ask(
    caller.withKey(stranger.keyHere),
    get(() => '/v1/payments'),
    '',
  );
}

/** Tries to create payments that the settings of the other merchants do not allow. */
async function createBeyondSettings(
  caller: Caller,
  { stranger, found }: Pick<Dashboard, 'stranger' | 'found'>,
): Promise<void> {
  const payment = {
    ...{ amountCents: 1_000, currency: 'USD', reference: 'beyond' },
    ...{ successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' },
  };
  const beyond = [
    [stranger.pixKey, { checkoutMode: 'custom' }],
    [stranger.pixKey, { checkoutMode: 'hosted', paymentMethod: 'card' }],
    [stranger.liveKey, { checkoutMode: 'hosted' }],
  ] as const;
  for (const [key, fields] of beyond) {
    const request = post(() => '/v1/payments', { ...payment, ...fields });
    const { result } = await ask(caller.withKey(key), request, '');
    if (result !== 'ok') continue;
    const detail = `a payment that the settings do not allow was created: ${JSON.stringify(fields)}`;
    found.push({ invariant: 'I15', paymentId: null, detail });
  }
}

function ask(caller: Caller, { method, path, body }: Attempted, id: string): Promise<Call> {
  const key = method === 'POST' ? { key: caller.newKey(foreignCall) } : {};
  return caller.client.call({ op: foreignCall, method, path: path(id), body, isAnyShape: true, ...key });
}

/** Whether an answer says something about the id. */
const isDefinite = ({ result, status }: Call): boolean => result !== 'unknown' && status !== 429;

/** Returns an answer without what differs between two equal requests. */
const textOf = ({ status, text }: Call): string =>
  `${status} ${text.replaceAll(/"requestId":"[^"]*"/g, '"requestId":""')}`;
