import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import fc from 'fast-check';
import { loadCheckout } from '../../../src/db/payments/checkouts.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { checkoutNow } from '../../../src/operations/payments/checkout-view.ts';
import { type PaymentWorkflows, createPaymentWorkflows } from '../../../src/temporal/clients/payments.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { paymentWorkflowId } from '../../../src/temporal/contract/ids.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';
import { idOf, keyed } from '../../support/refunds-and-disputes.ts';
import { replayProblem } from '../../support/replay.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let shop: Shop;
let workflows: PaymentWorkflows;
let dataConverter: LoadedDataConverter;
let client: Client;

beforeAll(async () => {
  world = await createWorld();
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  const { settings } = world;
  dataConverter = createDataConverter(createKeyring(settings.ENCRYPTION_KEYS, settings.LOOKUP_KEYS));
  client = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    dataConverter,
  );
  workflows = createPaymentWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now: Date.now });
});
afterAll(() => world.close());

/** The facts that row and workflow share, in the names of the status. */
const shown = (view: {
  status: string;
  terminalReason: unknown;
  attemptsLeft: number;
  expiresAtMs: number;
}) => ({
  status: view.status,
  terminalReason: view.terminalReason,
  attemptsLeft: view.attemptsLeft,
  expiresAtMs: view.expiresAtMs,
});

async function rowOf(id: string) {
  const row = await loadCheckout(world.database, id);
  if (!row) throw new Error(`no payment ${id}`);
  return { ...checkoutNow(row, Date.now()), seq: row.stateSeq, isOver: row.finalizedAt !== null, row };
}

interface Seen {
  compared: number;
  behind: string[];
  different: string[];
  statuses: Set<string>;
}

/**
 * Queries the workflow and then its row, repeatedly until it is stopped. The row, read after the workflow's
 * answer, must never be behind it. At the same step both must agree.
 */
async function watch(id: string, seen: Seen, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    const snapshot = await workflows.snapshot(id);
    const row = await rowOf(id);
    if (!snapshot) continue;
    seen.compared += 1;
    if (row.seq < snapshot.seq) seen.behind.push(`row ${row.seq}, workflow ${snapshot.seq}`);
    // A reservation is in the row first. A confirmation takes the fence first and is written later.
    const isFence = (row.row.checkoutStatus === 'processing') !== (snapshot.status === 'processing');
    // Reads show a deadline as soon as it passes; the workflow shows it once the change is written.
    const isOverdue = row.status === 'expired' && snapshot.expiresAtMs <= Date.now();
    const agree =
      row.seq !== snapshot.seq || isFence || isOverdue || isDeepStrictEqual(shown(row), shown(snapshot));
    if (!agree) seen.different.push(JSON.stringify([shown(row), shown(snapshot)]));
  }
}

/** Waits until both are at rest and agree. The workflow of a closed payment is gone. */
async function compareAtRest(id: string, seen: Seen): Promise<void> {
  await eventually(async () => {
    const snapshot = await workflows.snapshot(id);
    const row = await rowOf(id);
    // Before its first call a workflow has done nothing and answers no query.
    if (row.isOver || (snapshot === null && row.seq === 0)) return true;
    const agree = snapshot?.seq === row.seq && isDeepStrictEqual(shown(row), shown(snapshot));
    if (!agree) return undefined;
    seen.compared += 1;
    seen.statuses.add(row.status);
    return true;
  });
}

type Step = (id: string) => Promise<unknown>;
/** Refusals count as answers, because a call that does not fit the state changes neither. */
const simulate =
  (what: string, body: Record<string, unknown>): Step =>
  (id) =>
    keyed(shop, `/v1/sandbox/payments/${id}/${what}`, body);
const outcome = (body: Record<string, unknown>) => simulate('outcome', body);
const declined = outcome({ outcome: 'failed', failureCode: 'card_declined' });
const challenge = outcome({ outcome: 'requiresAction' });
/** The steps, each with its weight in the random choice. */
const steps = {
  declined: [4, declined],
  processing: [2, outcome({ outcome: 'processing' })],
  challenge: [3, challenge],
  wallet: [2, outcome({ outcome: 'requiresAction', method: 'wallet' })],
  failed: [1, simulate('challenge', { result: 'failed' })],
  abandoned: [1, simulate('challenge', { result: 'abandoned' })],
  authenticated: [1, simulate('challenge', { result: 'authenticated' })],
  confirm: [1, (id) => shop.confirm(id)],
  moment: [1, simulate('advance-clock', { bySeconds: 1 })],
  minutes: [1, simulate('advance-clock', { bySeconds: 300 })],
  pastTheWindow: [1, simulate('advance-clock', { bySeconds: 601 })],
  paid: [1, outcome({ outcome: 'paid' })],
  lostCard: [1, outcome({ outcome: 'failed' })],
  twoAtOnce: [2, (id) => Promise.all([declined(id), challenge(id)])],
} satisfies Record<string, [number, Step]>;
type StepName = keyof typeof steps;

const drawn = fc.oneof(
  ...(Object.keys(steps) as StepName[]).map((name) => ({
    weight: steps[name][0],
    arbitrary: fc.constant(name),
  })),
);
/** Walked first, so that every status that is checked at the end occurs, whatever is drawn later. */
const walkedFirst: [StepName[]] = [['moment', 'declined', 'challenge', 'abandoned', 'wallet', 'paid']];

it('the row is never behind its workflow, agrees with it at every step, and any worker can continue', async () => {
  const seen: Seen = { compared: 0, behind: [], different: [], statuses: new Set() };
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 3, maxLength: 9 }), async (walk) => {
      const id = idOf(await shop.create());
      let isDone = false;
      const watching = watch(id, seen, () => isDone);
      try {
        for (const name of walk) {
          await steps[name][1](id);
          await compareAtRest(id, seen);
        }
      } finally {
        isDone = true;
        await watching;
      }
      expect(seen.behind).toEqual([]);
      expect(seen.different).toEqual([]);
      // It was queried all the time, like by an operator's page. Queries must not enter its history.
      const handle = client.workflow.getHandle(paymentWorkflowId(id));
      expect(await replayProblem(handle, dataConverter)).toBeNull();
    }),
    { numRuns: 10, endOnFailure: true, examples: [walkedFirst] },
  );
  expect(seen.compared).toBeGreaterThan(50);
  for (const status of ['open', 'requiresAction', 'failed_retryable'])
    expect(seen.statuses).toContain(status);
}, 300_000);
