import { Client } from 'pg';
import { type Bench, measureCall } from '../bench.ts';
import { inParallel } from '../drive.ts';
import { outcomeOf } from '../http.ts';

const PAGES = [
  { name: 'first page', path: '/v1/payments?perPage=50' },
  { name: 'page 20', path: '/v1/payments?perPage=50&page=20' },
  { name: 'paid', path: '/v1/payments?perPage=50&status=paid' },
  { name: 'pending', path: '/v1/payments?perPage=50&status=pending' },
  { name: 'search', path: '/v1/search/payments?limit=50' },
  { name: 'search reference', path: '/v1/search/payments?limit=50&reference=copy-777' },
  { name: 'search e-mail', path: '/v1/search/payments?limit=50&email=copy-777@shop.example' },
  { name: 'search last4', path: '/v1/search/payments?limit=50&last4=4242' },
  { name: 'search amounts', path: '/v1/search/payments?limit=50&amountFrom=600&amountTo=650' },
  { name: 'search no amount', path: '/v1/search/payments?limit=50&amountFrom=99999&status=paid&method=pix' },
];

/**
 * Copies a paid payment, one for every half second back from now. Triggers and foreign keys are bypassed,
 * because these rows are only read.
 */
const copyQuery = `
  INSERT INTO payments
  SELECT copy.*
  FROM payments p, generate_series($2::int, $3::int) n, LATERAL jsonb_populate_record(p, jsonb_build_object(
    'id', uuidv7(-n * interval '0.5 seconds'),
    'vault_id', 'b' || n,
    'checkout_token_hash', '\\x' || encode(sha256(('bench' || n)::bytea), 'hex'),
    'reference', 'copy-' || n,
    'customer_email', 'copy-' || n || '@shop.example',
    'amount_cents', 500 + n % 1000,
    'created_at', p.created_at - n * interval '0.5 seconds')) copy
  WHERE p.id = $1`;

/** The search terms of the copies, which their triggers would have written. */
const termsQuery = `
  INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
  SELECT p.merchant_id, p.environment, t.kind, t.term, p.created_at, p.id
  FROM payments p, LATERAL (VALUES ('email', p.customer_email), ('last4', p.card_last4), ('method', p.method))
    AS t (kind, term)
  WHERE p.merchant_id = (SELECT merchant_id FROM payments WHERE id = $1) AND t.term IS NOT NULL
  ON CONFLICT DO NOTHING`;

/** Measures the list and the search with a growing number of rows of one merchant. */
export async function runLists(bench: Bench): Promise<void> {
  const { options, shop, stack, logLine } = bench;
  const { id } = await shop.newPaid();
  // Open payments, so that the filter for them finds some.
  await inParallel(60, 16, () => shop.newPayment());
  const client = new Client({ connectionString: stack.description.databaseUrl });
  await client.connect();
  try {
    let rows = 0;
    for (const wanted of options.sizes.listRows) {
      logLine(`lists: filling up to ${wanted} rows`);
      await client.query("SET session_replication_role = 'replica'");
      await client.query(copyQuery, [id, rows + 1, wanted]);
      await client.query(termsQuery, [id]);
      await client.query('VACUUM ANALYZE payments, payment_search_terms');
      rows = wanted;
      for (const { name, path } of PAGES) {
        for (const callers of options.sizes.listCallers) {
          const step = { section: 'lists', name: `${name} of ${rows}`, callers, floor: 'read' } as const;
          await measureCall(bench, step, async () => ({
            call: () => outcomeOf(shop.get(path), 200),
          }));
        }
      }
    }
  } finally {
    await client.end();
  }
}
