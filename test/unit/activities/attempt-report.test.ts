import { reportCharge } from '../../../src/activities/attempt-report.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import type { Database } from '../../../src/db/server/database.ts';
import type { Charge } from '../../../src/providers/ports.ts';

/** Nothing that was doubted may be written down. */
const database = {
  query: async () => {
    throw new Error('the answer was written down');
  },
} as unknown as Database;

const payment = { id: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11', amountCents: 2_500 };
const charge: Charge = {
  chargeId: 'pi_1',
  key: `${payment.id}:1`,
  paymentId: payment.id,
  amountCents: 2_500,
  currency: 'USD',
  status: 'captured',
  failureCode: null,
  message: null,
  card: null,
  action: null,
  stepDone: null,
};

describe('an answer that contradicts what was asked', () => {
  it.each<[string, Partial<Charge>]>([
    ['less money', { amountCents: 2_499 }],
    ['more money', { amountCents: 250_000 }],
    ['another currency', { currency: 'EUR' }],
    ['a currency in lower case', { currency: 'usd' }],
    ['a decline of another amount', { status: 'declined', amountCents: 1 }],
  ])('is %s: the outcome is unknown, an operator is told, and nothing is written down', async (_, over) => {
    const keyring = createKeyring(developmentEncryptionKeys);
    const report = await reportCharge({ database, keyring }, { ...charge, ...over }, payment, 1);
    expect(report).toEqual({ outcome: { status: 'unknown' }, card: null, suspicious: true });
  });
});
