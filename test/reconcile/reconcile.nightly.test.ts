import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { reconciliationWorkflowId } from '../../src/temporal/contract/ids.ts';
import type { DifferenceKind, ReconciliationResult } from '../../src/domain/reconciliation.ts';
import { keepHistory } from '../support/keep-history.ts';
import { eventually } from '../support/shop.ts';
import { type ServiceProcess, startWorkerProcess } from '../support/service-process.ts';
import { type World, createWorld } from '../support/world.ts';
import { Books } from './books.ts';

/** How many payments are compared: `npm run test:reconcile -- --payments N`. */
const payments = Number(process.env['RECONCILE_PAYMENTS'] ?? 2_000);
const admin = join(import.meta.dirname, '../../dist/src/cli/admin.js');
const hour = 3_600_000;
const to = new Date(Math.floor(Date.now() / hour) * hour - 2 * hour);
const from = new Date(to.getTime() - 24 * hour);

let world: World;
let books: Books;
let worker: ServiceProcess;

beforeAll(async () => {
  books = new Books(payments, from, to);
  world = await createWorld(
    { SWEEP_SECONDS: '1' },
    { worker: false, writeNetwork: (folder) => books.writeNetwork(folder) },
  );
  await books.writeRows(world.database);
  worker = await startWorkerProcess(world);
}, 900_000);
afterAll(async () => {
  await worker.kill();
  await world.close();
});

interface Printed {
  code: number;
  answer: ReconciliationResult;
  error: string;
}

/** Runs the operator command; returns its exit code and what it printed. */
async function command(...args: string[]): Promise<Printed> {
  const run = promisify(execFile)(process.execPath, [admin, 'reconcile', ...args, '--json'], {
    env: { PATH: process.env['PATH'], ...world.environment },
    maxBuffer: 64 * 1024 * 1024,
  });
  const { code, stdout, stderr } = await run.then(
    (done) => ({ code: 0, ...done }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const answer = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as ReconciliationResult;
  return { code, answer, error: stderr };
}

const ofRun = (): string[] => [
  ...['--merchant', books.merchantId, '--environment', 'sandbox'],
  ...['--from', from.toISOString(), '--to', to.toISOString()],
];

/** Returns the resident memory of the worker in MiB, now or at most so far; null: the host does not say. */
async function workerMemory(which: 'VmRSS' | 'VmHWM'): Promise<number | null> {
  const status = await readFile(`/proc/${worker.pid}/status`, 'utf8').catch(() => '');
  const kilobytes = new RegExp(`^${which}:\\s+(\\d+)`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
}

/** Runs the comparison with a new worker, and writes what it took to a file that `main.ts` prints. */
async function measuredRun(): Promise<Printed> {
  const file = process.env['RECONCILE_REPORT'];
  if (file === undefined) return command('run', ...ofRun());
  await worker.kill();
  worker = await startWorkerProcess(world);
  await sleep(5_000);
  const before = await workerMemory('VmRSS');
  const beganAt = performance.now();
  const run = await command('run', ...ofRun());
  const seconds = (performance.now() - beganAt) / 1_000;
  const what = Object.entries(run.answer.compared).map(([kind, count]) => `${count} ${kind}`);
  const memory = `memory of the worker: ${before} MiB before, ${await workerMemory('VmHWM')} MiB at most`;
  await writeFile(file, `${what.join(', ')} in ${seconds.toFixed(1)} s; ${memory}\n`);
  return run;
}

const byPayment = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** What was found, by payment, in the form of what was planted. */
const found = ({ differences }: ReconciliationResult): [string, DifferenceKind[]][] => {
  const kinds = new Map<string, DifferenceKind[]>();
  for (const { paymentId, kind } of differences) {
    kinds.set(paymentId ?? '', [...(kinds.get(paymentId ?? '') ?? []), kind].toSorted());
  }
  return [...kinds].toSorted(byPayment);
};
const planted = (): [string, DifferenceKind[]][] =>
  [...books.planted]
    .map(([id, kinds]): [string, DifferenceKind[]] => [id, kinds.toSorted()])
    .toSorted(byPayment);

let first: Printed;

it('finds each planted difference and invents none, also when its worker is killed twice', async () => {
  const running = command('run', ...ofRun());
  for (let kill = 0; kill < 2; kill += 1) {
    await eventually(async () => {
      const { rows } = await world.database.query('SELECT FROM reconciliation_items LIMIT 1');
      return rows.length > 0 ? true : undefined;
    }, 120_000);
    await sleep(kill * 1_000);
    await worker.kill();
    worker = await startWorkerProcess(world);
  }
  first = await running;
  const connection = await Connection.connect({ address: world.settings.TEMPORAL_ADDRESS });
  const { workflow } = new Client({ connection, namespace: world.settings.TEMPORAL_NAMESPACE });
  const workflowId = reconciliationWorkflowId(first.answer.runId);
  await keepHistory('reconciliation-complete', workflow.getHandle(workflowId));
  await connection.close();
  expect(first.error).toBe('');
  expect(first.answer).toMatchObject({ complete: true });
  expect(found(first.answer)).toEqual(planted());
  expect(first.code).toBe(3);
  expect(Object.keys(first.answer).toSorted()).toEqual([
    'compared',
    'complete',
    'differences',
    'runId',
    'totals',
  ]);
  expect(Object.keys(first.answer.differences[0] ?? {}).toSorted()).toEqual([
    'action',
    'kind',
    'ours',
    'paymentId',
    'theirs',
  ]);
}, 900_000);

it('heals only what a look by the key decides', () => {
  const actions = (kind: DifferenceKind): string[] => [
    ...new Set(first.answer.differences.filter((one) => one.kind === kind).map(({ action }) => action)),
  ];
  expect(actions('refund_status_differs')).toEqual(['healed']);
  expect(actions('dispute_unknown_here')).toEqual(['healed']);
  expect(actions('dispute_status_differs')).toEqual(['healed']);
  for (const kind of [
    'amount_differs',
    'charge_missing_there',
    'captured_twice',
    'refunded_too_much',
  ] as const)
    expect([kind, actions(kind)]).toEqual([kind, ['needs_attention']]);
});

it('a settled difference stays settled when it is found again, and healed ones are not found again', async () => {
  const { answer: shown } = await command('show', '--run', first.answer.runId);
  const numbers = shown.differences.flatMap((one, at) => (one.action === 'needs_attention' ? [at + 1] : []));
  const [number = 0] = numbers;
  const settled = await command(
    ...['settle', '--run', first.answer.runId, '--difference', String(number), '--note', 'refunded there'],
  );
  expect(settled.code).toBe(0);
  const again = await measuredRun();
  expect(again.code).toBe(3);
  expect(again.answer.differences.filter(({ action }) => action === 'healed')).toEqual([]);
  const { rows } = await world.database.query(
    `SELECT d.run_id = $1 AS first, count(*) FILTER (WHERE d.settled_at IS NOT NULL)::int AS settled,
       count(*) FILTER (WHERE d.action = 'needs_attention' AND d.settled_at IS NULL AND d.ended_at IS NULL)::int AS open
     FROM reconciliation_differences d GROUP BY 1 ORDER BY 1`,
    [first.answer.runId],
  );
  expect(rows).toEqual([
    { first: false, settled: 1, open: again.answer.differences.length - 1 },
    { first: true, settled: 1, open: 0 },
  ]);
}, 300_000);

it('prints CSV and lists its runs', async () => {
  const csv = await promisify(execFile)(
    process.execPath,
    [admin, 'reconcile', 'show', '--run', first.answer.runId, '--csv'],
    { env: { PATH: process.env['PATH'], ...world.environment } },
  ).catch((error: { stdout: string }) => error);
  expect(csv.stdout.split('\r\n')[0]).toBe(
    'number,kind,paymentId,reference,oursAmountCents,oursStatus,theirsAmountCents,theirsCurrency,theirsStatus,' +
      'action,createdAt,settledAt,note',
  );
  expect(csv.stdout.trim().split('\r\n')).toHaveLength(first.answer.differences.length + 1);
  const { answer } = await command('list', '--merchant', books.merchantId);
  expect(answer).toMatchObject({ runs: [{ status: 'complete' }, { status: 'complete' }] });
});

it.each([
  ['an end before its beginning', ['--from', '2030-01-02', '--to', '2030-01-01'], 2],
  ['ten years', ['--from', '2020-01-01', '--to', '2030-01-01'], 2],
  ['no instant', ['--from', 'yesterday', '--to', '2030-01-01'], 2],
  ['an unknown merchant', ['--merchant', '00000000-0000-7000-8000-000000000000'], 1],
])('refuses %s in one line', async (_name, changes, code) => {
  const refused = await command('run', ...ofRun(), ...changes);
  expect(refused.code).toBe(code);
  expect(refused.error.trim().split('\n')).toHaveLength(1);
});
