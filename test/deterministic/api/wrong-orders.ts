import type { Caller } from './caller.ts';

/** Fields of a creation that the shop's settings do not allow. */
const refusedFields: readonly object[] = [
  { checkoutMode: 'custom', paymentMethod: 'pix' },
  { checkoutMode: 'hosted', paymentMethod: 'boleto' },
  { embeddingOrigin: 'https://unknown.example' },
  { environment: 'live' },
];
/** Amounts that Stripe does not take. */
const amountsBeyondStripe: readonly object[] = [{ amountCents: 1 }, { amountCents: 100_000_000 }];

/** Evidence that is refused: its names, its texts, and how much of it there is. */
const refusedEvidence: readonly object[] = [
  { 'no name': 'text' },
  { card: '4242 4242 4242 4242' },
  { note: 7 },
  { note: 'a'.repeat(150_001) },
  Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`note${index}`, 'text'])),
];

/** Tries to create payments that the shop's settings or its provider do not allow. */
export async function createWrongly(caller: Caller, body: object): Promise<void> {
  const { connectorId } = caller.shop;
  for (const fields of [...refusedFields, ...(connectorId === null ? [] : amountsBeyondStripe)]) {
    const key = caller.newKey('refused');
    const refused = { ...body, ...fields };
    await caller.client.call({
      op: 'createRefused',
      method: 'POST',
      path: '/v1/payments',
      body: refused,
      key,
    });
  }
}

/** Orders what a new payment does not allow, and pays with the card of another one. */
export async function orderWrongly(caller: Caller, id: string, isCustom: boolean): Promise<void> {
  const { client } = caller;
  const sandbox = `/v1/sandbox/payments/${id}`;
  await caller.keyed('order', `${sandbox}/disputes`, { reason: 'duplicate' });
  await caller.keyed('order', `${sandbox}/challenge`, { result: 'failed' });
  await caller.keyed('order', `${sandbox}/outcome`, { outcome: 'unexpectedCapture' });
  await caller.keyed('order', '/v1/sandbox/faults', {
    ...{ target: 'vault', mode: 'lateSuccess', count: 1, paymentId: id },
  });
  if (!isCustom) return;
  await caller.keyed('order', `${sandbox}/outcome`, { outcome: 'paid', method: 'pix' });
  const body = { cardToken: 'tok_another', captureReference: 'cap_another' };
  await client.call({ op: 'pay', method: 'POST', path: `/v1/payments/${id}/pay`, body });
}

/** Stages evidence that is refused, and submits none. */
export async function answerWrongly({ client }: Caller, path: string, key: string): Promise<void> {
  for (const body of refusedEvidence) {
    await client.call({ op: 'stage', method: 'PUT', path: `${path}/evidence`, body });
  }
  await client.call({ op: 'answer', method: 'POST', path: `${path}/submit`, key });
}

/** Cancels a refund, and orders its outcome at the network, which never gets it. */
export async function orderCanceledRefund(caller: Caller, paymentId: string): Promise<void> {
  const { client } = caller;
  const key = caller.newKey('refund');
  const request = { op: 'refund', method: 'POST', path: `/v1/payments/${paymentId}/refunds`, key } as const;
  const made = await client.callWithRetries({ ...request, body: { amountCents: 1 } });
  const refundId = made?.result === 'ok' ? made.data?.id : undefined;
  if (refundId === undefined) return;
  const cancel = { op: 'cancel', method: 'POST', path: `/v1/refunds/${refundId}/cancel` } as const;
  const ordered = caller.keyed('order', `/v1/sandbox/refunds/${refundId}/outcome`, { outcome: 'failed' });
  await Promise.all([client.callWithRetries(cancel), ordered]);
}
