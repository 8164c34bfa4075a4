import { tmpdir } from 'node:os';
import { Client } from 'pg';
import { type Bench, measureCall } from '../bench.ts';
import { inParallel } from '../drive.ts';
import { outcomeOf } from '../http.ts';
import { callSteps } from './calls.ts';
import { copyPayments, requireRoomForCopies, untilNoVacuum } from './copied-payments.ts';
import { type IdleFigures, watchIdle } from './idle.ts';

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

/** Calls of single payments, measured beside the lists. */
const CALLS: readonly string[] = ['create', 'capture', 'pay', 'status', 'payment'];
const CALLERS_OF_CALLS = 4;

/**
 * Measures lists and searches with a growing number of rows of one merchant. With `--rows` also the calls of
 * single payments beside them, and the cost of idling, when only the sweeps run.
 */
export async function runLists(bench: Bench): Promise<IdleFigures[]> {
  const { options, shop, stack, logLine } = bench;
  const { listRows, listCallers } = options.sizes;
  await requireRoomForCopies(Math.max(...listRows), tmpdir(), logLine);
  const { id } = await shop.newPaid();
  // Open payments, so that the filter for them finds some.
  await inParallel(60, 16, () => shop.newPayment());
  const client = new Client({ connectionString: stack.description.databaseUrl });
  await client.connect();
  const idle: IdleFigures[] = [];
  try {
    let rows = 0;
    for (const wanted of listRows) {
      await copyPayments(client, id, { from: rows + 1, to: wanted }, logLine);
      rows = wanted;
      for (const { name, path } of PAGES) {
        for (const callers of listCallers) {
          const step = { section: 'lists', name: `${name} of ${rows}`, callers, floor: 'read' } as const;
          await untilNoVacuum(client, logLine);
          await measureCall(bench, step, async () => ({
            call: () => outcomeOf(shop.get(path), 200),
          }));
        }
      }
      if (options.rows === undefined) continue;
      for (const { name, prepare } of callSteps.filter((step) => CALLS.includes(step.name))) {
        const step = { section: 'lists', name: `${name} beside ${rows}`, callers: CALLERS_OF_CALLS } as const;
        await measureCall(bench, { ...step, floor: null }, (maxCalls) => prepare(shop, maxCalls));
      }
      idle.push(await watchIdle(bench, `${rows} rows`));
    }
  } finally {
    await client.end();
  }
  return idle;
}
