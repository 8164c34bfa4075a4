import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Deliveries, type Delivery } from '../deliveries.ts';
import type { Log } from '../server.ts';
import type { Table } from '../tables.ts';

/** A notification for the service. It names the changed object but not its state, which the service reads. */
export type News =
  | { type: 'charge.updated'; key: string; paymentId: string }
  | { type: 'refund.updated'; refundKey: string; paymentId: string }
  | { type: 'dispute.updated'; disputeId: string; paymentId: string };

/** Sends notifications to the service, signed as Standard Webhooks 1.0.0. */
export class Callbacks {
  readonly #deliveries: Deliveries | null;
  readonly #now: () => number;

  /** `target.secret` is `whsec_` and base64. A null target sends nothing. */
  constructor(
    waiting: Table<Delivery>,
    target: { url: string; secret: string } | null,
    means: { flushed: () => Promise<void>; now: () => number; log: Log },
  ) {
    const webhook = target && new Webhook(target.secret);
    this.#now = means.now;
    this.#deliveries = target && webhook && new Deliveries(waiting, signedBy(webhook, target.url), means);
  }

  /** Continues with the messages of an earlier process. */
  resume(): void {
    this.#deliveries?.resume();
  }

  /** Queues `news`, `copies` times under one message id. */
  send(news: News, copies = 1): void {
    const messageId = `msg_${randomUUID()}`;
    const body = JSON.stringify({ ...news, occurredAt: new Date(this.#now()).toISOString() });
    for (let copy = 0; copy < copies; copy += 1) this.#deliveries?.send({ messageId, body });
  }

  async close(): Promise<void> {
    await this.#deliveries?.close();
  }
}

const signedBy =
  (webhook: Webhook, url: string) =>
  ({ messageId, body }: Delivery, now: number) => {
    const at = new Date(now);
    return {
      url,
      headers: {
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': webhook.sign(messageId, at, body),
      },
    };
  };
