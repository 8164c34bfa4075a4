import { closeSync, openSync, writeSync } from 'node:fs';
import { beginsAtMs } from './scheduler.ts';

/** The file in the server's directory that holds the simulated time. */
export const clockFile = 'simulated_clock';

/** The setting that holds the time at which a session's transaction began. */
const beganSetting = 'simulated.began';

/** Returns an instant as SQL reads it. All have the same length, so that one replaces another in a file. */
const instant = (ms: number): string => new Date(Math.floor(ms)).toISOString();

/** The settings with which nothing in the server depends on the real time or on work in the background. */
export const simulatedSettings = {
  // Functions that are defined in the database hide those of the system.
  search_path: 'public, pg_catalog',
  [beganSetting]: instant(beginsAtMs),
  // The scheduler looks for deadlocks.
  deadlock_timeout: 2_147_483_647,
  autovacuum: 'off',
  bgwriter_lru_maxpages: 0,
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  synchronize_seqscans: 'off',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
  // Planning each statement again would take longer than running it.
  plan_cache_mode: 'force_generic_plan',
} as const;

/**
 * The clock and the random values of SQL. A file holds the time, because a statement that waited reads the
 * time at which it continues. The order of the ids is that of the statements, which the seed decides. The
 * view is empty because its times are real ones.
 */
export const simulatedFunctions = `
CREATE SEQUENCE simulated_ids;
GRANT USAGE ON SEQUENCE simulated_ids TO PUBLIC;
GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO PUBLIC;
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$ SELECT pg_catalog.pg_read_file('${clockFile}')::timestamptz $$;
CREATE FUNCTION statement_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$ SELECT pg_catalog.pg_read_file('${clockFile}')::timestamptz $$;
CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT pg_catalog.current_setting('${beganSetting}')::timestamptz $$;
CREATE FUNCTION transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$ SELECT pg_catalog.current_setting('${beganSetting}')::timestamptz $$;
CREATE FUNCTION gen_random_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS
  $$ SELECT overlay(overlay(md5(nextval('public.simulated_ids')::text) PLACING '4' FROM 13)
    PLACING '8' FROM 17)::uuid $$;
CREATE FUNCTION random() RETURNS float8 LANGUAGE sql VOLATILE AS
  $$ SELECT ('x' || left(md5(nextval('public.simulated_ids')::text), 8))::bit(32)::bigint
    / 4294967296::float8 $$;
CREATE VIEW pg_stat_activity AS SELECT * FROM pg_catalog.pg_stat_activity WHERE false;
`;

/** Makes no function wait for a lock by the real clock. */
export const withoutLockTimeouts = `DO $$
DECLARE one regprocedure;
BEGIN
  FOR one IN SELECT oid FROM pg_proc WHERE array_to_string(proconfig, ' ') ~ '\\mlock_timeout=' LOOP
    EXECUTE format('ALTER FUNCTION %s RESET lock_timeout', one);
  END LOOP;
END $$`;

/** Returns the statement that sets the time of the transaction which begins now. */
export const beginsAt = (ms: number): string => `SET ${beganSetting} = '${instant(ms)}'`;

/** The clock of the server: the file that its functions read. */
export class ServerClock {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o644);
    this.set(beginsAtMs);
  }

  set(ms: number): void {
    writeSync(this.#file, instant(ms), 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

const timeouts = /\b(statement_timeout|idle_in_transaction_session_timeout|idle_session_timeout) = (\d+)/g;

/**
 * Returns a text whose timeouts the server does not measure, because it has the real clock; `found` receives
 * them. A session does not listen, because notifications arrive by the real clock too.
 */
export function withoutRealTime(text: string, found: (name: string, ms: number) => void): string {
  if (text.startsWith('LISTEN ')) return 'SELECT';
  return text.replaceAll(timeouts, (_, name: string, ms: string) => {
    found(name, Number(ms));
    return `${name} = 0`;
  });
}
