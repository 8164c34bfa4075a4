import { answerOf } from '../../../src/activities/attempt-report.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import type { Charge } from '../../../src/providers/ports.ts';

const attempt = { paymentId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11', attemptNo: 1, amountCents: 2_500 };
const charge: Charge = {
  chargeId: 'pi_1',
  key: `${attempt.paymentId}:1`,
  paymentId: attempt.paymentId,
  amountCents: 2_500,
  currency: 'USD',
  status: 'captured',
  failureCode: null,
  message: null,
  card: null,
  action: null,
  stepDone: null,
  capturedAtMs: null,
};

describe('an answer that contradicts the request', () => {
  it.each<[string, Partial<Charge>]>([
    ['less money', { amountCents: 2_499 }],
    ['more money', { amountCents: 250_000 }],
    ['another currency', { currency: 'EUR' }],
    ['a currency in lower case', { currency: 'usd' }],
    ['a decline of another amount', { status: 'declined', amountCents: 1 }],
  ])('with %s leaves the outcome unknown, alerts an operator and stores nothing', (_, over) => {
    const keyring = createKeyring(developmentEncryptionKeys);
    expect(answerOf({ keyring }, { ...charge, ...over }, attempt)).toEqual({
      report: { outcome: { status: 'unknown' }, card: null, suspicious: true },
      record: null,
    });
  });
});
