import { createHmac } from 'node:crypto';
import { Deliveries, type Delivery } from '../../deliveries.ts';
import type { Log } from '../../server.ts';
import type { Table } from '../../tables.ts';
import type { Caller } from './auth.ts';
import { newId, newObject } from './ids.ts';
import type { Endpoint, StoredEvent } from './records.ts';
import { API_VERSION } from './version.ts';
import { type ApiObject, eventView, seconds } from './views.ts';
import type { WebhookOrders } from './webhook-orders.ts';

/** The request that made a change; null for an automatic change. */
export interface Cause {
  requestId: string;
  idempotencyKey: string | null;
}

/** Stripe keeps events for 30 days. */
const EVENT_LIFETIME_MS = 30 * 24 * 60 * 60_000;

/** Events of changes: stored, listed, and sent to the account's endpoints, signed as Stripe signs. */
export class Events {
  readonly #events: Table<StoredEvent>;
  readonly #endpoints: Table<Endpoint>;
  readonly #orders: WebhookOrders;
  readonly #deliveries: Deliveries;
  readonly #now: () => number;
  #no = 0;

  constructor(
    tables: { events: Table<StoredEvent>; endpoints: Table<Endpoint>; deliveries: Table<Delivery> },
    orders: WebhookOrders,
    means: { flushed: () => Promise<void>; now: () => number; log: Log },
  ) {
    this.#events = tables.events;
    this.#endpoints = tables.endpoints;
    this.#orders = orders;
    this.#now = means.now;
    this.#deliveries = new Deliveries(tables.deliveries, (delivery) => this.#address(delivery), means);
  }

  /** Continues with the deliveries of an earlier process. */
  resume(): void {
    for (const event of this.#events.values()) this.#no = Math.max(this.#no, event.no);
    this.#deliveries.resume();
  }

  /** Drops events past their retention. */
  purge(now: number): void {
    for (const [id, event] of [...this.#events.entries()]) {
      if (now >= event.createdAt + EVENT_LIFETIME_MS) this.#events.delete(id);
    }
  }

  /** Records that `object` changed and notifies the account's endpoints. */
  emit(owner: Caller, type: string, object: ApiObject, cause: Cause | null): StoredEvent {
    this.#no += 1;
    const made = newObject('evt', owner, this.#now());
    const event = this.#events.put(made.id, {
      ...made,
      type,
      no: this.#no,
      objectId: String(object['id']),
      object: JSON.stringify(object),
      requestId: cause?.requestId ?? null,
      idempotencyKey: cause?.idempotencyKey ?? null,
    });
    for (const endpoint of this.#endpointsOf(owner, type)) this.#send(event, endpoint);
    return event;
  }

  get(id: string): StoredEvent | undefined {
    return this.#events.get(id);
  }

  /** Returns all events, oldest first. */
  all(): StoredEvent[] {
    return [...this.#events.values()];
  }

  async close(): Promise<void> {
    await this.#deliveries.close();
  }

  #endpointsOf(owner: Caller, type: string): Endpoint[] {
    return [...this.#endpoints.values()].filter(
      ({ accountId, live, enabledEvents }) =>
        accountId === owner.accountId &&
        live === owner.live &&
        enabledEvents.some((enabled) => enabled === '*' || enabled === type),
    );
  }

  /** Sends an event to one endpoint, with the fault that was injected for it. */
  #send(event: StoredEvent, endpoint: Endpoint): void {
    const body = JSON.stringify(eventView(event, endpoint.apiVersion ?? API_VERSION, 1), null, 2);
    const message = { messageId: event.id, body, envelope: { endpoint: endpoint.id } };
    const order = this.#orders.take(event);
    const now = this.#now();
    switch (order?.mode) {
      case 'lost':
        return;
      case 'late':
        return this.#deliveries.send({ ...message, at: now + order.afterSeconds * 1000 });
      case 'doubled':
        this.#deliveries.send(message);
        return this.#deliveries.send(message);
      case 'reordered':
        // Sent after the next event: a second later.
        return this.#deliveries.send({ ...message, at: now + 1_000 });
      case 'forged':
        this.#deliveries.send(message);
        return this.#deliveries.send(forged(event, message));
      case 'replayed':
        this.#deliveries.send(message);
        return this.#deliveries.send({
          ...message,
          envelope: { ...message.envelope, signedAt: '1000000000' },
        });
      case undefined:
        return this.#deliveries.send(message);
    }
  }

  #address(delivery: Delivery): { url: string; headers: Record<string, string> } | null {
    const { endpoint: id = '', signedAt, secret } = delivery.envelope ?? {};
    const endpoint = this.#endpoints.get(id);
    if (!endpoint) return null;
    const at = signedAt === undefined ? seconds(this.#now()) : Number(signedAt);
    return {
      url: endpoint.url,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signatureOf(delivery.body, at, secret ?? endpoint.secret),
      },
    };
  }
}

/** The header `Stripe-Signature`: HMAC-SHA256 over `<seconds>.<body>` with the endpoint's whole secret. */
function signatureOf(body: string, at: number, secret: string): string {
  const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${v1}`;
}

/** Returns a forged event: with another id, every status changed to success, signed with another secret. */
function forged(
  event: StoredEvent,
  message: { messageId: string; body: string; envelope: Record<string, string> },
) {
  const id = newId('evt');
  const lie = message.body
    .replaceAll(event.id, id)
    .replaceAll(/"status": "[a-z_]+"/g, '"status": "succeeded"')
    .replace(/"type": "payment_intent\.[a-z_]+"/, '"type": "payment_intent.succeeded"');
  return { messageId: id, body: lie, envelope: { ...message.envelope, secret: 'whsec_of_another_account' } };
}
