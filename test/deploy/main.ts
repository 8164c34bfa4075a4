/**
 * `npm run test:deploy`: two builds of the worker beside each other, a promotion and a rollback under 5
 * payments a second, and a build whose workers end. No pay is answered 503, each payment is charged once, and
 * payments end on the build on which they began. Takes about four minutes. The last line is
 * `N passed, N failed`.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { launch } from '../../local-stack/launcher.ts';
import { StackProblem } from '../../local-stack/problem.ts';
import { type StackDescription, StackSession } from '../../local-stack/session.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { entriesOf } from '../bench/stack.ts';
import { paymentWorkflowId } from '../../src/temporal/contract/ids.ts';
import { readFlags } from '../support/harness/flags.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { type Answered, type Admin, judgeForce } from './force.ts';
import { Shop, eventually } from './shop.ts';

const everyMs = 200;
/** How long payments are made before and after each change, in ms. */
const phaseMs = 10_000;
/** A build is abandoned 75 s after its last poll, and the sweep looks every 15 s. */
const abandonedMs = 150_000;
const challengeCard = '4000000000003220';

readFlags({ name: 'test:deploy', does: 'Deploys a build of the worker under payments.', flags: {} });

const results = { passed: 0, failed: 0 };
function report(title: string, isTrue: boolean, seen: unknown = ''): void {
  results[isTrue ? 'passed' : 'failed'] += 1;
  const line = `${isTrue ? '✓' : '✗'} ${title} ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`;
  process.stdout.write(`${line.trimEnd()}\n`);
}

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-deploy-'));
  const { signal } = listenForStop(() => process.exit(130));
  const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };
  let stack: StackSession | undefined;
  try {
    const options = {
      ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 1, apis: 1 },
      ...({ temporal: 'dev', connector: 'simulator' } as const),
      dataDir: join(directory, 'data'),
    };
    const session = await StackSession.open(options, output, signal);
    stack = session;
    const description = await launch({
      session,
      options,
      entries: entriesOf(),
      environment: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        RATE_LIMITS: 'off',
        REFUND_DELAY_SECONDS: '30',
        WORKER_BUILD_ID: 'a',
      },
      output,
      signal,
    });
    const workerPid = session.supervisor.processes['worker'] ?? 0;
    await deployBuilds(description, options.dataDir, workerPid);
  } catch (error) {
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
await exitWhenPrinted();

async function deployBuilds(stack: StackDescription, dataDir: string, workerPid: number): Promise<void> {
  const shop = new Shop(stack);
  const admin: Admin = (...words) => deploy(dataDir, words);
  await eventually(
    async () => ((await admin('status')).answer['current'] === 'a' ? true : undefined),
    60_000,
  );
  report('the first build makes itself current', true);

  const onA = await challenged(shop);
  const refunded = await shop.paid();
  const { data: refund } = await shop.call('POST', `/payments/${refunded}/refunds`, {});
  const refundId = String(refund['id']);
  const disputed = await shop.paid();
  await shop.call('POST', `/sandbox/payments/${disputed}/disputes`, { reason: 'fraudulent' });
  const disputeId = await eventually(async () => {
    const { data } = await shop.call('GET', `/payments/${disputed}/disputes`);
    return Object.values(data as Record<string, { id: string }>)[0]?.id;
  });

  const b = spawn(process.execPath, [entriesOf().worker], {
    env: { ...environmentOf(workerPid), WORKER_BUILD_ID: 'b', WORKER_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const missing = await admin('promote', '--build', 'none');
    report(
      'refuses a build that no worker runs',
      missing.status === 1 && /WORKER_BUILD_ID/.test(missing.line),
    );
    await eventually(async () => {
      const { versions } = (await admin('status')).answer as { versions: { workers: number }[] };
      return versions.length === 2 && versions.every(({ workers }) => workers > 0) ? true : undefined;
    });
    // Until its three queues are polled.
    await sleep(2_000);
    await judgeForce({ stack, dataDir, admin, report });
    const load = startLoad(shop);
    await sleep(phaseMs);
    const promoted = await admin('promote', '--build', 'b');
    report('promotes the new build', promoted.status === 0, promoted.line);
    const promotedAt = Date.now();
    await sleep(phaseMs);
    const onB = await challenged(shop);
    const rolledBack = await admin('rollback');
    report('rolls back', rolledBack.status === 0 && rolledBack.answer['current'] === 'a', rolledBack.line);
    await sleep(phaseMs);
    const pays = await load();
    judgePays(pays);
    await judgeBuilds(stack, pays, promotedAt);

    await confirm(shop, onA);
    report('a step that began on the first build is confirmed', await isPaid(shop, onA));
    await shop.untilField(`/refunds/${refundId}`, 'status', 'succeeded');
    report('a refund that was open succeeds', true);
    const accepted = await shop.call('POST', `/disputes/${disputeId}/accept`, {});
    report('a dispute that was open is accepted', accepted.status < 300, accepted.status);
    const early = await admin('retire', '--build', 'b');
    report('retires no build on which something is open', early.status === 3, early.answer);

    b.kill('SIGKILL');
    const killedAt = Date.now();
    await moved(admin, abandonedMs);
    report('moves the runs of a build whose worker is gone', true, `after ${Date.now() - killedAt} ms`);
    await confirm(shop, onB);
    report('a step that began on the build without workers is confirmed', await isPaid(shop, onB));
  } finally {
    b.kill('SIGKILL');
  }
}

/** Runs `admin deploy`. Returns its exit code, its line on stderr and its answer. */
function deploy(dataDir: string, words: readonly string[]): Promise<Answered> {
  const args = [entriesOf().admin, 'deploy', ...words, '--json', '--data-dir', dataDir];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 60_000 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code ?? -1);
      const answer = (stdout === '' ? {} : JSON.parse(stdout)) as Record<string, unknown>;
      resolve({ status, line: stderr.trim(), answer });
    });
  });
}

/** The settings of the stack's worker, as the system shows them. */
function environmentOf(pid: number): NodeJS.ProcessEnv {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    pairs
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
      .filter(([name = '']) => name !== '' && !name.startsWith('NODE_CHANNEL')),
  ) as NodeJS.ProcessEnv;
}

/** A payment that waits for its customer's step. */
function challenged(shop: Shop): Promise<string> {
  return shop.paid(challengeCard);
}

/** Takes the customer's step, and confirms. */
async function confirm(shop: Shop, id: string): Promise<void> {
  await shop.call('POST', `/sandbox/payments/${id}/challenge`, { result: 'authenticated' });
  await eventually(async () => {
    const { status } = await shop.call('POST', `/payments/${id}/confirm`, {});
    return status === 503 ? undefined : true;
  }, 60_000);
}

function isPaid(shop: Shop, id: string): Promise<true> {
  return shop.untilField(`/payments/${id}`, 'status', 'paid');
}

interface Paid {
  id: string;
  at: number;
  status: number;
  ms: number;
  charges: number;
}

/** Makes 5 payments a second; the function that it returns ends that and returns them. */
function startLoad(shop: Shop): () => Promise<Paid[]> {
  const ending = new AbortController();
  const pays: Promise<Paid>[] = [];
  const one = async (): Promise<Paid> => {
    const { id, card } = await shop.withCard();
    const at = Date.now();
    const { status } = await shop.call('POST', `/payments/${id}/pay`, card);
    return { id, at, status, ms: Date.now() - at, charges: 0 };
  };
  const loop = (async () => {
    while (!ending.signal.aborted) {
      pays.push(one());
      await sleep(everyMs);
    }
  })();
  return async () => {
    ending.abort();
    await loop;
    const done = await Promise.all(pays);
    for (const pay of done) {
      pay.charges = await shop.captured(pay.id);
    }
    return done;
  };
}

function judgePays(pays: readonly Paid[]): void {
  const times = pays.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  const refused = pays.filter(({ status }) => status !== 200);
  report('answers every pay', refused.length === 0, `${pays.length} pays, ${refused.length} without 200`);
  const wrong = pays.filter(({ charges }) => charges !== 1);
  report('charges each payment once', wrong.length === 0, `${wrong.length} violations`);
  process.stdout.write(`  pay p99 ${p99} ms (objective 2,000)\n`);
}

/** Reads from the histories which builds ran each payment. */
async function judgeBuilds(
  stack: StackDescription,
  pays: readonly Paid[],
  promotedAt: number,
): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const client = new Client({ connection });
  const mixed: string[] = [];
  const seen = new Set<string>();
  for (const { id } of pays) {
    const { events } = await client.workflow.getHandle(paymentWorkflowId(id)).fetchHistory();
    const builds = new Set(
      (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
        task ? [task.deploymentVersion?.buildId ?? task.workerDeploymentVersion ?? 'none'] : [],
      ),
    );
    if (builds.size !== 1) mixed.push(id);
    for (const build of builds) seen.add(build);
  }
  await connection.close();
  report('payments end on the build on which they began', mixed.length === 0, mixed.slice(0, 3));
  report('both builds ran payments', seen.size === 2, [...seen]);
  const later = pays.filter(({ at }) => at > promotedAt).length;
  process.stdout.write(`  ${later} of ${pays.length} pays after the promotion\n`);
}

/** Waits until no run is pinned to a build without workers. */
async function moved(admin: Admin, withinMs: number): Promise<void> {
  await eventually(async () => {
    const { versions } = (await admin('status')).answer as {
      versions: { buildId: string; workers: number }[];
    };
    return versions.some(({ buildId, workers }) => buildId === 'b' && workers === 0) ? true : undefined;
  }, withinMs);
  // One more turn of the sweep.
  await sleep(20_000);
}
