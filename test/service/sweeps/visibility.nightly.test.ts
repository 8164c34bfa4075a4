import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const root = join(import.meta.dirname, '../../..');
const document = readFileSync(join(root, 'docs/operations.md'), 'utf8');
/** The queries for operators in the document. */
const moved = document.split('\n').find((line) => line.startsWith('WorkflowType IN (')) ?? '';
const ofPayments = /the filter `(WorkflowType="paymentWorkflow")`/i.exec(document)?.[1] ?? '';
const waiting = /filter `(NeedsAttention=true)`/.exec(document)?.[1] ?? '';

let world: World;
let shop: Shop;
let merchantId: string;
let connection: Connection;
let temporal: Client;
/** The payments, by the later state of their money. */
let ids: Record<'paid' | 'refunded' | 'partiallyRefunded' | 'disputed' | 'won' | 'lost', string>;
/** The workflow of each refund and dispute, by payment. */
const workflowOf = new Map<string, string>();

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  temporal = new Client({ connection });
  const [paid, refunded, partly, disputed, won, lost] = await Promise.all(
    Array.from({ length: 6 }, () => paidPayment(shop)),
  );
  ids = {
    paid: paid ?? '',
    refunded: refunded ?? '',
    partiallyRefunded: partly ?? '',
    disputed: disputed ?? '',
    won: won ?? '',
    lost: lost ?? '',
  };
  for (const [payment, body] of [
    [ids.refunded, {}],
    [ids.partiallyRefunded, { amountCents: 100 }],
  ] as const) {
    const id = idOf(await refund(shop, payment, body));
    workflowOf.set(payment, `refund-${id}`);
    await untilField(shop, `/v1/refunds/${id}`, 'status', 'succeeded');
  }
  for (const payment of [ids.disputed, ids.won, ids.lost]) {
    const opened = await keyed(shop, `/v1/sandbox/payments/${payment}/disputes`, { reason: 'fraudulent' });
    workflowOf.set(payment, `dispute-${idOf(opened)}`);
    const outcome = payment === ids.won ? 'won' : payment === ids.lost ? 'lost' : null;
    if (outcome !== null) await keyed(shop, `/v1/sandbox/disputes/${idOf(opened)}/resolve`, { outcome });
  }
  await untilField(shop, `/v1/payments/${ids.lost}`, 'status', 'disputeLost');
  await untilField(shop, `/v1/payments/${ids.won}`, 'status', 'disputeWon');
}, 120_000);
afterAll(async () => {
  await connection.close();
  await world.close();
});

/** Returns this merchant's workflows whose latest run a query finds. Earlier runs keep their attributes. */
async function found(query: string): Promise<string[]> {
  const own: string[] = [];
  const narrowed = `(${query}) AND MerchantId="${merchantId}"`;
  for await (const { workflowId, runId } of temporal.workflow.list({ query: narrowed })) {
    const latest = await temporal.workflow.getHandle(workflowId).describe();
    if (latest.runId === runId) own.push(workflowId);
  }
  return own.toSorted();
}

/** Returns a query's result once it has the awaited number of workflows, because visibility lags. */
async function foundAtLast(query: string, awaited: readonly string[]): Promise<string[]> {
  const settled = await eventually(async () => {
    const own = await found(query);
    return JSON.stringify(own) === JSON.stringify(sorted(awaited)) ? own : undefined;
  }).catch(() => null);
  return settled ?? found(query);
}

const sorted = (workflows: readonly string[]): string[] => workflows.toSorted();

const of = (...payments: string[]): string[] => payments.map((id) => workflowOf.get(id) ?? '');

it('the document shows the queries', () => {
  expect([moved, ofPayments, waiting].every((query) => query.length > 10)).toBe(true);
});

it('refunded and disputed payments are found by the documented queries, also when every workflow has ended', async () => {
  expect(await foundAtLast(moved, of(ids.refunded, ids.partiallyRefunded, ids.disputed, ids.lost))).toEqual(
    sorted(of(ids.refunded, ids.partiallyRefunded, ids.disputed, ids.lost)),
  );
  for (const payment of [ids.refunded, ids.partiallyRefunded, ids.lost]) {
    const [workflowId] = of(payment);
    await eventually(async () => {
      const { status } = await temporal.workflow.getHandle(workflowId ?? '').describe();
      return status.name === 'COMPLETED' ? true : undefined;
    });
  }
  expect(await foundAtLast(moved, of(ids.refunded, ids.partiallyRefunded, ids.disputed, ids.lost))).toEqual(
    sorted(of(ids.refunded, ids.partiallyRefunded, ids.disputed, ids.lost)),
  );
});

it.each([
  ['refunded', 'refunded'],
  ['partiallyRefunded', 'partiallyRefunded'],
  ['disputed', 'disputed'],
  ['disputeWon', 'won'],
  ['disputeLost', 'lost'],
] as const)('PaymentStatus="%s" finds the workflow that caused it', async (status, payment) => {
  expect(await foundAtLast(`PaymentStatus="${status}"`, of(ids[payment]))).toEqual(sorted(of(ids[payment])));
});

it('a payment keeps its final status, and no other workflow has the attributes of a payment', async () => {
  const all = Object.values(ids).map((id) => `payment-${id}`);
  expect(await foundAtLast(ofPayments, all)).toEqual(sorted(all));
  expect(await foundAtLast(`${ofPayments} AND PaymentStatus="paid"`, all)).toEqual(sorted(all));
  expect(await foundAtLast(waiting, [])).toEqual(sorted([]));
});

it('all workflows of a payment are found by what the operator command prints', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'dist/src/cli/admin.js'), 'payment', 'show', '--payment', ids.lost, '--json'],
    { env: { PATH: process.env['PATH'], ...world.environment } },
  );
  const { workflow } = JSON.parse(stdout) as { workflow: { query: string } };
  expect(await foundAtLast(workflow.query, [`payment-${ids.lost}`, ...of(ids.lost)])).toEqual(
    sorted([`payment-${ids.lost}`, ...of(ids.lost)]),
  );
});
