/**
 * Plays transactions of two processes that need the same rows, on a real server, for each seed among the
 * arguments. Prints one line of JSON for each seed, with what happened in which order.
 */
import {
  type Database,
  inTransaction,
  openDatabase,
  runFenced,
  runUnfenced,
} from '../../src/db/server/database.ts';
import { takeTerm, termCheckSql } from '../../src/db/server/sweep-leaders.ts';
import { simulateGlobals } from './globals.ts';
import { Scheduler, type SimulatedProcess, newProcess, runIn } from './scheduler.ts';
import { serverBackend } from './server-backend.ts';
import { type PostgresBackend, databaseUrl } from './simulated-postgres.ts';

/** How long a process is frozen, in ms: longer than PostgreSQL lets its transaction be idle. */
const frozenMs = 20_000;

/** A process with its pool. */
interface Racer {
  owner: SimulatedProcess;
  database: Database;
}

const open = (owner: SimulatedProcess | null): Database => {
  const options = { url: databaseUrl, poolSize: 2, applicationName: 'race', pooler: 'none' } as const;
  return owner === null ? openDatabase(options) : runIn(owner, () => openDatabase(options));
};

const racer = (name: string): Racer => {
  const owner = newProcess(name);
  return { owner, database: open(owner) };
};

/**
 * Locks rows one after the other, and adds the process's name to each. `locked` is called when it has locked
 * one. Returns how that ended.
 */
const addName = (
  { owner, database }: Racer,
  rows: readonly number[],
  locked: () => unknown = () => undefined,
): Promise<string> =>
  runIn(owner, () =>
    inTransaction(database, async (transaction) => {
      for (const id of rows) {
        await transaction.query('SELECT FROM race WHERE id = $1 FOR UPDATE', [id]);
        locked();
        await transaction.query(
          `UPDATE race SET names = names || $2, changed_at = clock_timestamp(), token = gen_random_uuid() WHERE id = $1`,
          [id, owner.name],
        );
      }
    }).then(
      () => 'committed',
      (error: unknown) => String((error as { code?: unknown }).code ?? error),
    ),
  );

/**
 * One process sweeps in its term when another begins the next term. Returns what the next leader reads when
 * it begins, and what is stored in the end; nothing of the first term may be stored in between.
 */
async function changeLeader(first: Racer, next: Racer, id: number): Promise<object> {
  const term = await runIn(first.owner, () => takeTerm(first.database, 'race', first.owner.name));
  const fence = { check: termCheckSql('race', term), onRefused: () => undefined };
  const read = async (): Promise<unknown> =>
    (await next.database.query('SELECT names FROM race WHERE id = $1', [id])).rows[0];
  const readAtBegin: Promise<unknown>[] = [];
  const lead = async (): Promise<unknown> => {
    await takeTerm(next.database, 'race', next.owner.name);
    return read();
  };
  const swept = await runFenced(fence, () =>
    addName(first, [id], () => readAtBegin.push(runUnfenced(() => runIn(next.owner, lead)))),
  );
  const again = await runFenced(fence, () => addName(first, [id]));
  return { swept, again, begin: await readAtBegin[0], end: await runIn(next.owner, read) };
}

async function race(scheduler: Scheduler): Promise<object> {
  const harness = open(null);
  await harness.query(
    'CREATE TABLE race (id int PRIMARY KEY, names text, changed_at timestamptz, token uuid)',
  );
  await harness.query(`INSERT INTO race SELECT id, '' FROM generate_series(1, 5) AS id`);
  const [a, b] = [racer('a'), racer('b')];
  const oneRow = await Promise.all([addName(a, [1]), addName(b, [1])]);
  const crossed = await Promise.all([addName(a, [2, 3]), addName(b, [3, 2])]);
  const beside: Promise<string>[] = [];
  const frozen = await addName(a, [4], () => {
    a.owner.frozenUntilMs = scheduler.nowMs + frozenMs;
    beside.push(addName(b, [4]));
  });
  const term = await changeLeader(b, a, 5);
  const { rows } = await harness.query('SELECT * FROM race ORDER BY id');
  return { oneRow, crossed, frozen: [frozen, ...(await Promise.all(beside))], term, rows };
}

async function playRace(backend: PostgresBackend, seed: number): Promise<object> {
  const scheduler = new Scheduler(seed);
  const postgres = await backend.open(scheduler, seed);
  const restore = simulateGlobals(() => scheduler, seed);
  const undo = postgres.serve();
  try {
    let happened: object | null = null;
    let failed: unknown;
    void race(scheduler).then(
      (result) => (happened = result),
      (error: unknown) => (failed = error),
    );
    await scheduler.play(() => happened !== null || failed !== undefined);
    if (failed !== undefined) throw failed;
    return { ...(happened ?? {}), story: scheduler.story };
  } finally {
    for (const putBack of undo) putBack();
    restore();
    await postgres.close();
  }
}

const backend = await serverBackend();
try {
  for (const seed of process.argv.slice(2))
    console.log(JSON.stringify(await playRace(backend, Number(seed))));
} finally {
  await backend.close();
}
process.exit();
