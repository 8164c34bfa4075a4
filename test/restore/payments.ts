import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Stand, eventually } from './stand.ts';

/** A payment of the drill: its id, the key of its creation, and what the network has of it at the end. */
export interface Made {
  id: string;
  key: string;
  captured: number;
  refundedCents: number;
}

/** Creates a payment. */
export const create = async (stand: Stand): Promise<Made> => {
  const key = randomUUID();
  const { status, body } = await stand.shop.create(key);
  assert.equal(status, 201);
  return { id: String(body.data?.['id']), key, captured: 0, refundedCents: 0 };
};

/** Pays a payment with a card that is captured first. */
export const payWith = async (stand: Stand, made: Made, card?: string) => {
  const { shop } = stand;
  const kept = await shop.keepCard(await shop.capture(made.id), card);
  return shop.pay({ id: made.id, card: kept });
};

/** Creates and pays a payment. */
export const paid = async (stand: Stand): Promise<Made> => {
  const made = await create(stand);
  assert.equal((await payWith(stand, made)).status, 200);
  return { ...made, captured: 1 };
};

/** Returns a payment's status, or the HTTP status of the refusal. */
export const statusOf = async (stand: Stand, { id }: Made): Promise<string> => {
  const { status, body } = await stand.shop.get(`/v1/payments/${id}`);
  return status === 200 ? String(body.data?.['status']) : String(status);
};

/** Waits until a payment has a status. */
export const expectStatus = (stand: Stand, made: Made, wanted: string, withinMs = 30_000) =>
  eventually(
    `the status ${wanted} of ${made.id}`,
    async () => {
      const status = await statusOf(stand, made);
      if (status !== wanted) throw new Error(`it is ${status}`);
      return true;
    },
    withinMs,
  );

/** Each payment is read under its id, its key answers it again, and its money is as it was at the network. */
export async function expectWhole(stand: Stand, all: readonly Made[]): Promise<void> {
  for (const made of all) {
    const wanted = made.refundedCents > 0 ? 'refunded' : made.captured > 0 ? 'paid' : 'pending';
    await expectStatus(stand, made, wanted);
    const again = await stand.shop.create(made.key);
    assert.equal(again.status, 201);
    assert.equal(again.body.data?.['id'], made.id, 'the key answers another payment');
    const { charges, refunds } = await stand.ledger(made.id);
    assert.equal(charges.filter(({ status }) => status === 'captured').length, made.captured, 'captures');
    const returned = refunds.reduce((sum, { amountCents }) => sum + amountCents, 0);
    assert.equal(returned, made.refundedCents, 'refunded');
  }
}
