/**
 * `npm run test:failover -- [--only sync|async]`: a primary with a streaming standby under 5 payments a
 * second. The primary is killed and the standby takes its place. Synchronous: nothing that was answered is
 * lost.
 * Asynchronous, the last seconds were not received: each payment that is left ends with one capture and its
 * true status. Takes about five minutes. The last line is `N passed, N failed`.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../../local-stack/launcher.ts';
import { type StandbyMode, standbyModes } from '../../local-stack/options.ts';
import { withClient } from '../../local-stack/postgres.ts';
import { StackProblem } from '../../local-stack/problem.ts';
import { type StackDescription, StackSession } from '../../local-stack/session.ts';
import { failOver } from '../../local-stack/standby.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { entriesOf } from '../bench/stack.ts';
import type { Call } from '../chaos/history.ts';
import { readLedger } from '../chaos/ledger.ts';
import { untilFinal } from '../chaos/rows.ts';
import { moneyCameIn } from '../chaos/status-edges.ts';
import { recoveryOf, startLoad } from '../cluster/load.ts';
import { eventually } from '../deploy/shop.ts';
import { drillEnvironment } from '../support/harness/drill-environment.ts';
import { readFlags } from '../support/harness/flags.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';

const beforeMs = 12_000;
/** What the standby does not receive. */
const lostMs = 4_000;
const afterMs = 20_000;
/** The checkout deadline of the payments, in s. */
const deadlineSeconds = 100;
const settleMs = 150_000;
const recoverWithinMs = 30_000;

const values = readFlags({
  name: 'test:failover',
  does: 'Kills the primary under payments and promotes its standby.',
  flags: { only: { takes: 'mode', means: `only one of: ${standbyModes.join(', ')}` } },
});

const results = { passed: 0, failed: 0 };
function report(title: string, isTrue: boolean, seen = ''): void {
  results[isTrue ? 'passed' : 'failed'] += 1;
  process.stdout.write(`${`${isTrue ? '✓' : '✗'} ${title} ${seen}`.trimEnd()}\n`);
}

const { signal } = listenForStop(() => process.exit(130));

await runTool(async () => {
  const modes = standbyModes.filter((mode) => values.only === undefined || mode === values.only);
  if (modes.length === 0) throw new Problem(`--only must be one of: ${standbyModes.join(', ')}`);
  for (const mode of modes) await withStack(mode);
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
await exitWhenPrinted();

async function withStack(mode: StandbyMode): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-failover-'));
  const output = { display: false, line: (line: string) => void process.stderr.write(`${line}\n`) };
  const options = {
    ...{ port: undefined, fresh: false, demo: false, guides: false, workers: 2, apis: 2 },
    ...({ temporal: 'dev', connector: 'simulator', standby: mode } as const),
    dataDir: join(directory, 'data'),
  };
  let session: StackSession | undefined;
  try {
    session = await StackSession.open(options, output, signal);
    const entries = entriesOf();
    const start = {
      session,
      options,
      entries,
      output,
      signal,
      environment: drillEnvironment(deadlineSeconds),
    };
    await drill(session, await launch(start), mode);
  } catch (error) {
    throw error instanceof StackProblem ? new Problem(error.message) : error;
  } finally {
    await session?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function drill(session: StackSession, stack: StackDescription, mode: StandbyMode): Promise<void> {
  const since = new Date();
  const { ports, secrets } = session;
  const standbyUrl = `postgres://postgres:${secrets.postgresPassword}@127.0.0.1:${ports.postgresStandby ?? 0}/postgres`;
  process.stdout.write(`${mode}\n`);
  const load = startLoad(stack.apiUrls, stack.sandboxApiKey);
  await sleep(beforeMs);
  if (mode === 'async') {
    await withClient(standbyUrl, async (client) => {
      await client.query("alter system set primary_conninfo = ''");
      await client.query('select pg_reload_conf()');
    });
    await sleep(lostMs);
  }
  const killedAt = Date.now();
  await failOver({ session, signal });
  const tookMs = Date.now() - killedAt;
  await sleep(afterMs);
  const recoveredMs = recoveryOf(load.history, killedAt, Date.now())?.afterMs;
  report(
    'pays succeed again within 30 s',
    recoveredMs !== undefined && recoveredMs <= recoverWithinMs,
    `after ${((recoveredMs ?? Number.NaN) / 1000).toFixed(1)} s, the failover took ${(tookMs / 1000).toFixed(1)} s`,
  );
  await load.end();
  report('every payment is final', await untilFinal(stack.databaseUrl, since, settleMs));

  const created = answeredIds(load.history, 'create');
  const paid = new Set(answeredIds(load.history, 'pay', 'paid'));
  const stillThere = await statusesOf(stack.databaseUrl, created);
  const lost = created.filter((id) => !stillThere.has(id));
  if (mode === 'sync') report('no answered payment is lost', lost.length === 0, `${lost.length}`);
  else report('the last commits were lost', lost.length > 0, `${lost.length} payments`);
  let wrong: string[] = [];
  await eventually(async () => {
    wrong = await wrongOf(session, stack, created, paid);
    return wrong.length === 0 ? true : undefined;
  }, settleMs).catch(() => undefined);
  const title = 'each payment has one capture at most, and its true status';
  report(title, wrong.length === 0, `${created.length} payments`);
  for (const line of wrong.slice(0, 10)) process.stdout.write(`  ${line}\n`);
  await judgeCommand(session, stack, lost, since);
}

/** `admin restore failover` names what was lost, and writes it back. */
async function judgeCommand(
  { dataDir }: StackSession,
  { databaseUrl }: StackDescription,
  lost: readonly string[],
  since: Date,
): Promise<void> {
  const admin = (...words: string[]): Promise<Answered> =>
    restoreFailover(dataDir.path, ['--since', since.toISOString().slice(0, 19) + 'Z', ...words]);
  const found = await admin();
  const missing = new Set(found.answer.missingPayments);
  const isNamed = found.answer.rowsMayHaveGoneBack === true && lost.every((id) => missing.has(id));
  report(
    'admin restore failover names what is lost',
    isNamed && found.code === (lost.length > 0 ? 3 : 0),
    `exit code ${found.code}, ${missing.size} payments`,
  );
  if (lost.length === 0) return;
  const finished = await admin('--finish');
  const back = await statusesOf(databaseUrl, lost);
  const { ended = false, lost: beyond = [] } = finished.answer.finished ?? {};
  report(
    'and writes it back with --finish',
    ended && finished.code === (beyond.length > 0 ? 3 : 0) && back.size === lost.length,
    `exit code ${finished.code}, ${back.size} payments`,
  );
  // A refund that was answered and never sent: its customer has no money back, and the command names it.
  for (const { id, reason } of beyond) process.stdout.write(`  lost: ${id}, ${reason}\n`);
}

interface Answered {
  code: number;
  answer: {
    rowsMayHaveGoneBack?: boolean;
    missingPayments?: string[];
    finished?: { ended: boolean; lost: { id: string; reason: string }[] };
  };
}

function restoreFailover(dataDir: string, words: readonly string[]): Promise<Answered> {
  const args = [entriesOf().admin, 'restore', 'failover', ...words, '--json', '--data-dir', dataDir];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: 150_000 }, (error, stdout) => {
      const answer = (stdout === '' ? {} : JSON.parse(stdout)) as Answered['answer'];
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), answer });
    });
  });
}

/** Payments of which an operation was answered, with a status where one is given. */
function answeredIds(history: readonly Call[], op: string, status?: string): string[] {
  const found = history.filter(
    (call) =>
      call.op === op && call.result === 'ok' && (status === undefined || call.data?.status === status),
  );
  return [...new Set(found.flatMap(({ paymentId, data }) => paymentId ?? data?.id ?? []))];
}

function statusesOf(databaseUrl: string, ids: readonly string[]): Promise<Map<string, string>> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; status: string }>(
      'select id, status from payments where id = any($1)',
      [ids],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  });
}

/** What is not as ADR 0038 has it: compares the network's ledger with the rows and with what was answered. */
async function wrongOf(
  { secrets }: StackSession,
  { databaseUrl, networkUrl }: StackDescription,
  ids: readonly string[],
  answeredPaid: ReadonlySet<string>,
): Promise<string[]> {
  const statuses = await statusesOf(databaseUrl, ids);
  const wrong: string[] = [];
  for (const id of ids) {
    const network = { networkUrl, networkKey: secrets.networkServiceKey, network: 'tombstone' as const };
    const { charges } = await readLedger(network, id);
    const captures = charges.filter(({ status }) => status === 'captured').length;
    const status = statuses.get(id);
    if (captures > 1) wrong.push(`${id}: ${captures} captures`);
    if (status === undefined) continue;
    if (moneyCameIn(status) !== (captures === 1)) wrong.push(`${id}: ${status} with ${captures} captures`);
    if (answeredPaid.has(id) && !moneyCameIn(status)) wrong.push(`${id}: answered paid, and is ${status}`);
  }
  return wrong;
}
