import { Client } from 'pg';
import { type Bench, callerCounts, measureCall } from '../bench.ts';
import { inParallel } from '../drive.ts';
import { outcomeOf } from '../http.ts';

const PAGES = [
  { name: 'first page', query: 'perPage=50' },
  { name: 'page 20', query: 'perPage=50&page=20' },
  { name: 'paid', query: 'perPage=50&status=paid' },
  { name: 'pending', query: 'perPage=50&status=pending' },
];

/**
 * Copies of a paid payment, one every half second back from now. Triggers and foreign keys are passed by:
 * these rows are for reading alone.
 */
const copyQuery = `
  INSERT INTO payments
  SELECT copy.*
  FROM payments p, generate_series($2::int, $3::int) n, LATERAL jsonb_populate_record(p, jsonb_build_object(
    'id', uuidv7(-n * interval '0.5 seconds'),
    'vault_id', 'b' || n,
    'checkout_token_hash', '\\x' || encode(sha256(('bench' || n)::bytea), 'hex'),
    'created_at', p.created_at - n * interval '0.5 seconds')) copy
  WHERE p.id = $1`;

/** The list over more and more rows of one merchant. */
export async function runLists(bench: Bench): Promise<void> {
  const { options, shop, stack, say } = bench;
  const { id } = await shop.newPaid();
  // Something to be found by the filter for those that wait.
  await inParallel(60, 16, () => shop.newPayment());
  const client = new Client({ connectionString: stack.description.databaseUrl });
  await client.connect();
  try {
    let rows = 0;
    for (const wanted of options.sizes.listRows) {
      say(`lists: filling up to ${wanted} rows`);
      await client.query("SET session_replication_role = 'replica'");
      await client.query(copyQuery, [id, rows + 1, wanted]);
      await client.query('VACUUM ANALYZE payments');
      rows = wanted;
      for (const { name, query } of PAGES) {
        for (const callers of callerCounts.filter((count) => count !== 4)) {
          const step = { section: 'lists', name: `${name} of ${rows}`, callers, floor: 'read' } as const;
          await measureCall(bench, step, async () => ({
            call: () => outcomeOf(shop.get(`/v1/payments?${query}`), 200),
          }));
        }
      }
    }
  } finally {
    await client.end();
  }
}
