import { randomUUID } from 'node:crypto';
import { Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off' });
});
afterAll(() => world.close());

/** Number of cards that the program tries; each costs create, capture and pay. Scaled down from 10,000. */
const cards = Number(process.env['CARD_TESTING_CARDS'] ?? 1_500);
const atOnce = 8;

/** Returns the n-th number of the range that the simulators decline, with its check digit. */
function declinedNumber(n: number): string {
  const head = `40000077${String(n).padStart(7, '0')}`;
  const sum = Array.from(head)
    .toReversed()
    .map(Number)
    .reduce(
      (all, digit, place) => all + (place % 2 === 1 ? digit : ((digit * 2) % 10) + Math.floor(digit / 5)),
      0,
    );
  return `${head}${(10 - (sum % 10)) % 10}`;
}

it('of thousands of cards that one key tries at most 200 reach the network, and another key sells', async () => {
  const merchantId = await world.merchant({ sandbox: { customMode: true } });
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  let next = 0;
  const statuses = new Map<number, number>();
  const tryCards = async (): Promise<void> => {
    for (let n = next++; n < cards; n = next++) {
      const id = await shop.customPayment({ reference: `order-${randomUUID()}` });
      const { status } = await shop.pay(id, await shop.captureCard(id, declinedNumber(n)));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, tryCards));
  const { rows } = await world.database.query<{ sent: number }>(
    `SELECT count(*)::int AS sent FROM attempts a JOIN payments p ON p.id = a.payment_id
     WHERE p.merchant_id = $1 AND a.answer IN ('declined', 'requires_action')`,
    [merchantId],
  );
  expect(rows[0]?.sent).toBeLessThanOrEqual(200);
  expect(statuses.get(429)).toBeGreaterThanOrEqual(cards - 200);
  const other = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const id = await other.customPayment();
  const answer = await other.pay(id, await other.captureCard(id));
  expect([answer.status, answer.body.data?.['status']]).toEqual([200, 'paid']);
}, 600_000);
