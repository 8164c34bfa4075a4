import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { randomBase62 } from '../../../../src/crypto/secrets.ts';
import { signatureHeaders } from '../../../../src/webhooks/signing.ts';

const timeoutMs = 15_000;

const unreachableCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** A delivery to send. Checks make single parts of it wrong on purpose. */
export interface Delivery {
  id: string;
  body: string;
  headers: Record<string, string>;
  /** Sends the body in pieces over this time, in ms. */
  slowMs?: number;
}

/** Returns an event of an invented payment, as the service would send it. */
export function sampleEvent(input: {
  type?: string;
  status?: string;
  sequence?: number;
  previousStatus?: string | null;
  reference: string;
  paymentId?: string;
  metadata?: Record<string, unknown>;
  extra?: Record<string, unknown>;
}): { id: string; body: string } {
  const { status = 'paid', sequence = 1, previousStatus = 'pending', paymentId = randomUUID() } = input;
  const id = `evt_${randomBase62(24)}`;
  const now = new Date().toISOString();
  const paid = status === 'paid';
  const event = {
    id,
    type: input.type ?? `payment.${status}`,
    timestamp: now,
    apiVersion: 'v1',
    environment: 'sandbox',
    sequence,
    previousStatus,
    data: {
      id: paymentId,
      reference: input.reference,
      status,
      method: 'card',
      amountCents: 2500,
      refundedCents: 0,
      netCents: paid ? 2500 : 0,
      currency: 'USD',
      customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
      metadata: input.metadata ?? {},
      checkoutUrl: null,
      expiresAt: now,
      cardBin: paid ? '42424242' : null,
      cardIssuer: null,
      cardBrand: paid ? 'visa' : null,
      cardLast4: paid ? '4242' : null,
      failureCode: null,
      failureMessage: null,
      createdAt: now,
      paidAt: paid ? now : null,
      refundedAt: null,
      environment: 'sandbox',
      ...input.extra,
    },
    ...input.extra,
  };
  return { id, body: JSON.stringify(event) };
}

/** Returns a delivery signed as the service does; `at` other than now makes an old or a future delivery. */
export function signed(
  event: { id: string; body: string },
  secrets: readonly string[],
  at = new Date(),
): Delivery {
  return { ...event, headers: signatureHeaders(event, secrets, at) };
}

/** An endpoint's answer to a delivery. `status` is null when none came within 15 s. */
export interface Answer {
  status: number | null;
  ms: number;
}

/** No server listens at the endpoint, so nothing can be checked. */
export class Unreachable extends Error {
  constructor(reason: string) {
    super(`the endpoint cannot be reached (${reason}): start it, or check the URL`);
  }
}

/** Sends one delivery. Throws `Unreachable` when there is no connection. */
export function send(url: string, delivery: Delivery): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startedAt = Date.now();
    const body = Buffer.from(delivery.body);
    const call = (url.startsWith('https:') ? httpsRequest : httpRequest)(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': String(body.length),
          'user-agent': 'card-payments-webhooks/1',
          ...delivery.headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
        agent: false,
      },
      (answer) => {
        resolve({ status: answer.statusCode ?? null, ms: Date.now() - startedAt });
        answer.destroy();
      },
    );
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (unreachableCodes.includes(error.code ?? '')) reject(new Unreachable(error.code ?? ''));
      else resolve({ status: null, ms: Date.now() - startedAt });
    });
    if (delivery.slowMs === undefined) {
      call.end(body);
      return;
    }
    const pieces = 10;
    let sent = 0;
    const timer = setInterval(() => {
      const size = Math.ceil(body.length / pieces);
      call.write(body.subarray(sent * size, (sent + 1) * size));
      sent += 1;
      if (sent < pieces) return;
      clearInterval(timer);
      call.end();
    }, delivery.slowMs / pieces);
    call.on('close', () => clearInterval(timer));
  });
}
