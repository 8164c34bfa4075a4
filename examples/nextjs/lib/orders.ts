import { createClient } from '@libsql/client';

/** An order as it is stored. */
export interface Order {
  id: string;
  amountCents: number;
  paymentId: string | null;
  status: 'pending' | 'shipped' | 'closed';
}

const database = createClient({ url: `file:${process.env.SHOP_DATABASE ?? 'shop.db'}` });

/** Creates the table where it is missing. Several processes may do so at once. */
export async function prepareDatabase(): Promise<void> {
  await database.execute('PRAGMA journal_mode = WAL');
  await database.execute(
    `CREATE TABLE IF NOT EXISTS orders (
       id TEXT PRIMARY KEY, amount_cents INTEGER NOT NULL, payment_id TEXT,
       status TEXT NOT NULL DEFAULT 'pending')`,
  );
}

export async function insertOrder(id: string, amountCents: number): Promise<void> {
  await run('INSERT INTO orders (id, amount_cents) VALUES (?, ?) ON CONFLICT DO NOTHING', [id, amountCents]);
}

export async function storePayment(id: string, paymentId: string): Promise<void> {
  await run('UPDATE orders SET payment_id = ? WHERE id = ?', [paymentId, id]);
}

/** Returns true for the one call that ships the order: the payment must be this order's, of its amount. */
export async function markShipped(id: string, paymentId: string, amountCents: number): Promise<boolean> {
  const changed = await run(
    `UPDATE orders SET status = 'shipped'
     WHERE id = ? AND payment_id = ? AND amount_cents = ? AND status <> 'shipped'`,
    [id, paymentId, amountCents],
  );
  return changed === 1;
}

export async function markClosed(id: string): Promise<void> {
  await run(`UPDATE orders SET status = 'closed' WHERE id = ? AND status = 'pending'`, [id]);
}

/** Returns an order, or null when there is none. */
export async function findOrder(id: string): Promise<Order | null> {
  const [order] = await read('WHERE id = ?', [id]);
  return order ?? null;
}

/** Returns the orders that are neither shipped nor closed. */
export async function pendingOrders(): Promise<Order[]> {
  return read(`WHERE status = 'pending'`, []);
}

async function read(where: string, args: string[]): Promise<Order[]> {
  const { rows } = await database.execute({
    sql: `SELECT id, amount_cents AS "amountCents", payment_id AS "paymentId", status FROM orders ${where}`,
    args,
  });
  return rows.map((row) => ({ ...row }) as unknown as Order);
}

/** Returns the number of rows changed. */
async function run(sql: string, args: (string | number)[]): Promise<number> {
  const { rowsAffected } = await database.execute({ sql, args });
  return rowsAffected;
}
