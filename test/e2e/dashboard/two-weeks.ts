import { paidPayment } from '../../support/refunds-and-disputes.ts';
import type { Shop } from '../../support/shop.ts';
import type { World } from '../../support/world.ts';

/** Number of payments of each of the thirteen days before today, oldest first. */
const perDay = [3, 5, 4, 6, 8, 3, 2, 5, 6, 7, 6, 8, 4];
/** One card in nine cannot pay, whatever the customer tries. */
const cards = [
  '4242424242424242',
  '5555555555554444',
  '4242424242424242',
  '378282246310005',
  '4242424242424242',
  '5555555555554444',
  '4242424242424242',
  '4242424242424242',
  '4000000000009987',
];
const customers = ['mary', 'edsger', 'barbara', 'tony', 'radia'];
const atOnce = 4;
const daySeconds = 86_400;

/**
 * Trades for two weeks. Every payment is created, captured and paid today by calls like a shop's. Its times
 * are then moved to its day, bypassing the triggers that protect them.
 */
export async function twoWeeksOfTrade(world: World, shop: Shop): Promise<void> {
  const orders = perDay
    .flatMap((count, day) => Array.from({ length: count }, () => perDay.length - day))
    .map((daysAgo, index) => ({ daysAgo, index }));
  const left = orders.values();
  const moves: { id: string; seconds: number }[] = [];
  const trade = async (): Promise<void> => {
    for (const { daysAgo, index } of left) {
      const id = await paidPayment(shop, cards[index % cards.length], {
        reference: `order-${1024 - orders.length + index}`,
        amountCents: 1_250 + ((index * 733) % 9_000),
        customer: { email: `${customers[index % customers.length]}@example.org` },
      });
      moves.push({ id, seconds: daysAgo * daySeconds + (orders.length - index) * 60 });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, trade));
  const moved = `SELECT id AS of, interval '1 second' * seconds AS ago
    FROM unnest($1::uuid[], $2::int[]) AS moves (id, seconds)`;
  const client = await world.database.connect();
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
    const values = [moves.map(({ id }) => id), moves.map(({ seconds }) => seconds)];
    await client.query(
      `UPDATE payments SET created_at = created_at - ago, expires_at = expires_at - ago,
         capture_expires_at = capture_expires_at - ago, paid_at = paid_at - ago, finalized_at = finalized_at - ago
       FROM (${moved}) AS moved WHERE id = of`,
      values,
    );
    await client.query(
      `UPDATE movements SET booked_at = booked_at - ago, booked_on = (booked_at - ago)::date
       FROM (${moved}) AS moved WHERE payment_id = of`,
      values,
    );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
