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
  it.each<[string, Partial<Charge>, string]>([
    ['less money', { amountCents: 2_499 }, 'other_amount'],
    ['more money', { amountCents: 250_000 }, 'other_amount'],
    ['another currency', { currency: 'EUR' }, 'other_currency'],
    ['a currency in lower case', { currency: 'usd' }, 'other_currency'],
    ['a state of tomorrow', { status: 'unreadable' }, 'unknown_state'],
    ['a decline of another amount', { status: 'declined', amountCents: 1 }, 'other_amount'],
  ])('with %s leaves the outcome unknown, alerts an operator and stores nothing', (_, over, problem) => {
    const keyring = createKeyring(developmentEncryptionKeys);
    expect(answerOf({ keyring }, { ...charge, ...over }, attempt)).toEqual({
      report: { outcome: { status: 'unknown' }, card: null, suspicious: true },
      record: null,
      problem,
    });
  });
});
