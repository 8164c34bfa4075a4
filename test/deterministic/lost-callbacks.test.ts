import { isLostCallback } from './lost-callbacks.ts';
import { Scheduler } from './scheduler.ts';

const key = 'payment:1';

/** Returns how many of a thousand such callbacks are lost, in the seed among some that loses most. */
function lostOf(path: string, body: object, mayBeLost = true): number {
  const asked = { url: new URL(`http://127.0.0.1${path}`), body: JSON.stringify(body) };
  const ofSeed = (seed: number): number => {
    const scheduler = Object.assign(new Scheduler(seed), { troubled: true });
    const all = Array.from({ length: 1_000 }, () => isLostCallback(asked, () => mayBeLost, scheduler));
    return all.filter(Boolean).length;
  };
  return Math.max(...Array.from({ length: 20 }, (_, index) => ofSeed(index + 1)));
}

it('loses callbacks about charges whose change something else finds', () => {
  const body = { type: 'charge.updated', key };
  expect(lostOf('/callbacks/network', body)).toBeGreaterThan(200);
  expect(lostOf('/callbacks/network', body, false)).toBe(0);
});

it('loses no other callback and no other request', () => {
  expect(lostOf('/callbacks/network', { type: 'refund.updated', key })).toBe(0);
  expect(lostOf('/v1/payments', { type: 'charge.updated', key })).toBe(0);
});
