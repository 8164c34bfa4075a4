import { randomUUID } from 'node:crypto';
import { createReconciliationActivities } from '../../../src/activities/reconciliation.ts';
import { type Database, openDatabase } from '../../../src/db/server/database.ts';
import { requestRun } from '../../../src/db/reconciliation/runs.ts';
import type { Connectors, ProviderPorts } from '../../../src/providers/connectors.ts';
import type { ListedCharge, ListedPage, NetworkListings } from '../../../src/providers/listings.ts';
import { ownerOfMany } from '../../support/many-rows.ts';
import { partial } from '../../support/partial.ts';
import { cloneDatabase } from '../../support/world.ts';

const day = 86_400_000;

let database: Database;
let runId: string;
let merchantId: string;

beforeEach(async () => {
  database = openDatabase({ url: await cloneDatabase(), poolSize: 2, applicationName: 'test' });
  merchantId = await ownerOfMany(database);
  const span = { from: new Date(Date.now() - day), to: new Date() };
  runId = await requestRun(database, randomUUID(), { merchantId, environment: 'sandbox' }, span);
});
afterEach(() => database.end());

/**
 * Lets a run read a page of charges, which names the page that follows. Returns the advance, and how often it
 * asked.
 */
async function advance(place: { cursor: string | null; pages: number }, next: string | null) {
  let asked = 0;
  const listCharges = async (): Promise<ListedPage<ListedCharge>> => {
    asked += 1;
    return { items: [], next, unreadable: 0 };
  };
  const connectors = partial<Connectors>({
    simulated: ['sandbox'],
    portsOf: async () => partial<ProviderPorts>({ listings: partial<NetworkListings>({ listCharges }) }),
  });
  const activities = createReconciliationActivities({ database, connectors, repairs: partial({}) });
  const advanced = await activities.advanceReconciliation({
    runId,
    place: { step: 0, ...place },
  });
  return { ...advanced, asked };
}

it('a run ends at 50,000 pages of one list', async () => {
  expect(await advance({ cursor: 'a', pages: 50_000 }, 'b')).toEqual({
    next: null,
    pauseMs: 0,
    problem: 'too_many_pages',
    asked: 0,
  });
});

it('a run ends at 10,000 possible differences', async () => {
  const plant = (count: number) =>
    database.query(
      `INSERT INTO reconciliation_differences (run_id, merchant_id, environment, subject, kind, created_at)
       SELECT $1, $2, 'sandbox', 'planted ' || gen_random_uuid(), 'charge_unknown_here', now()
       FROM generate_series(1, $3::int)`,
      [runId, merchantId, count],
    );
  await plant(9_999);
  expect(await advance({ cursor: null, pages: 0 }, null)).toMatchObject({ next: { step: 1 }, problem: null });
  await plant(1);
  expect(await advance({ cursor: null, pages: 0 }, 'b')).toMatchObject({
    next: null,
    problem: 'too_many_differences',
    asked: 1,
  });
});

it('a list whose page names itself as the next one ends with a problem', async () => {
  expect(await advance({ cursor: 'a', pages: 1 }, 'a')).toMatchObject({
    next: { step: 1, cursor: null, pages: 0 },
    problem: 'pages_do_not_advance',
    asked: 1,
  });
});
