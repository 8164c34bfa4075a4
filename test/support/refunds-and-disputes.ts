import { randomUUID } from 'node:crypto';
import { jsonBody } from './answers.ts';
import { type Answer, type Shop, eventually } from './shop.ts';

/** Pays a new custom payment with a test card; returns its id once the payment is paid. */
export async function paidPayment(
  shop: Shop,
  number = '4242424242424242',
  fields: Record<string, unknown> = {},
): Promise<string> {
  const id = await shop.customPayment(fields);
  await payUntilAnswered(shop, id, await shop.captureCard(id, number));
  return id;
}

/**
 * Pays until the attempt has its answer. A busy machine may answer 503, after which merchants poll the
 * status.
 */
export async function payUntilAnswered(
  shop: Shop,
  id: string,
  card: { cardToken: string; captureReference: string },
): Promise<void> {
  await eventually(async () => {
    const answer = await shop.pay(id, card);
    if (answer.status === 200) return true;
    if (![503, 409, 410].includes(answer.status))
      throw new Error(`pay answered ${answer.status} ${answer.text}`);
    return (await shop.read(id))['status'] === 'pending' ? undefined : true;
  });
}

/** Requests a refund. */
export function refund(
  shop: Shop,
  paymentId: string,
  body: Record<string, unknown> = {},
  key: string = randomUUID(),
): Promise<Answer> {
  return shop.call('POST', `/v1/payments/${paymentId}/refunds`, body, { 'idempotency-key': key });
}

/** Posts with a fresh Idempotency-Key, as sandbox endpoints and final answers need. */
export function keyed(
  shop: Shop,
  path: string,
  body?: Record<string, unknown>,
  key: string = randomUUID(),
): Promise<Answer> {
  return shop.call('POST', path, body, { 'idempotency-key': key });
}

export const dataOf = (answer: Answer): Record<string, unknown> => {
  if (!answer.body.data) throw new Error(`answered ${answer.status} ${answer.text}`);
  return answer.body.data;
};

export const idOf = (answer: Answer): string => String(dataOf(answer)['id']);

/** Reads an object until one of its fields has a value. */
export function untilField(
  shop: Shop,
  path: string,
  field: string,
  value: unknown,
): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const data = (await shop.call('GET', path)).body.data;
    return data?.[field] === value ? data : undefined;
  });
}

/** Returns a payment's dispute, once it exists. */
export function disputeOf(shop: Shop, paymentId: string): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const { body } = await shop.call('GET', `/v1/payments/${paymentId}/disputes`);
    const [first] = (jsonBody({ body }) as { data?: Record<string, unknown>[] }).data ?? [];
    return first;
  });
}
