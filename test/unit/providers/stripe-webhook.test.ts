import { Stripe } from 'stripe';
import { stripeHint } from '../../../src/providers/stripe/webhook.ts';

const secret = 'whsec_test';
/** An hour that no clock of a machine shows. */
const nowMs = Date.UTC(2031, 2, 1);
const payload = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'payment_intent.succeeded',
  data: { object: { id: 'pi_1', object: 'payment_intent', metadata: {} } },
});
const hintSigned = (ageSeconds: number) => {
  const timestamp = nowMs / 1000 - ageSeconds;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return stripeHint(Buffer.from(payload), signature, ['whsec_other', secret], nowMs);
};

it('goes by the given time and not by the clock of its host', () => {
  for (const age of [0, 299, -299]) expect(hintSigned(age)).toMatchObject({ chargeReference: 'pi_1' });
  for (const age of [301, -301]) expect(hintSigned(age)).toBe('unsigned');
});
