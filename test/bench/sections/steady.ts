import { Client } from 'pg';
import type { Bench } from '../bench.ts';
import { openLoop } from '../drive.ts';
import { wholePayment } from './calls.ts';
import { residentMib } from './growth.ts';

const PER_SECOND = 10;

/** What the service's database and the processes hold after a window of payments. */
export interface SteadyFigures {
  name: string;
  /** Payments since the start of the bench, with those of other sections. */
  payments: number;
  databaseMib: number;
  kibPerPayment: number;
  /** Row versions that wait for a vacuum, as a share of all in percent. */
  deadPercent: number;
  /** Vacuums that PostgreSQL began by itself since the start. */
  autovacuums: number;
  /** The tables with the most dead row versions. */
  mostDead: string;
  /** Resident memory of the processes in MiB, by name. */
  resident: string;
}

/**
 * Makes whole payments at ten a second, one window after the other: a slope shows in the windows' figures, in
 * the size of the database, and in the processes' memory.
 */
export async function runSteady(bench: Bench): Promise<SteadyFigures[]> {
  const { options, stack, meter, shop, signal, add, logLine } = bench;
  const { steadyWindows, steadySeconds } = options.sizes;
  const client = new Client({ connectionString: stack.description.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    const all: SteadyFigures[] = [];
    for (let window = 1; window <= steadyWindows; window += 1) {
      const sample: string[] = [];
      const name = `whole at ${PER_SECOND}/s, ${window} of ${steadyWindows} x ${steadySeconds} s`;
      const calls = PER_SECOND * steadySeconds;
      add(
        await meter.measure({ section: 'steady', name, callers: null, sample }, () =>
          openLoop(() => wholePayment(shop, sample), { perSecond: PER_SECOND, calls, signal }),
        ),
      );
      const held = await heldBy(client, name, residentMib(stack.processes()));
      logLine(`steady: ${held.databaseMib} MiB, ${held.deadPercent} % dead, resident ${held.resident}`);
      all.push(held);
    }
    return all;
  } finally {
    await client.end();
  }
}

/** Reads the sizes of the service's database, and what its tables keep for a vacuum. */
async function heldBy(client: Client, name: string, resident: string): Promise<SteadyFigures> {
  const { rows } = await client.query<{ payments: number; bytes: number }>(
    `SELECT (SELECT count(*)::int FROM payments) AS payments, pg_database_size(current_database())::float8 AS bytes`,
  );
  const { rows: tables } = await client.query<{ name: string; live: number; dead: number; vacuums: number }>(
    `SELECT relname AS name, n_live_tup::float8 AS live, n_dead_tup::float8 AS dead, autovacuum_count::int AS vacuums
     FROM pg_stat_user_tables ORDER BY n_dead_tup DESC`,
  );
  const { payments = 0, bytes = 0 } = rows[0] ?? {};
  const sum = (of: 'live' | 'dead' | 'vacuums') => tables.reduce((total, table) => total + table[of], 0);
  return {
    name,
    payments,
    databaseMib: Math.round(bytes / 2 ** 20),
    kibPerPayment: Math.round((bytes / 1024 / Math.max(1, payments)) * 10) / 10,
    deadPercent: Math.round((100 * sum('dead')) / Math.max(1, sum('dead') + sum('live'))),
    autovacuums: sum('vacuums'),
    mostDead: tables
      .slice(0, 3)
      .map((table) => `${table.name} ${table.dead}`)
      .join(', '),
    resident,
  };
}
