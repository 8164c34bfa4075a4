import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePorts } from './free-ports.ts';
import type { TransactionPooler } from './transaction-pooler.ts';

/** Returns the machine's PgBouncer, from the PATH or Debian's place; null when there is none. */
export function findPgbouncer(): string | null {
  try {
    return execFileSync('/bin/sh', ['-c', 'command -v pgbouncer'], { encoding: 'utf8' }).trim();
  } catch {
    return ['/usr/sbin/pgbouncer', '/usr/local/sbin/pgbouncer'].find((path) => existsSync(path)) ?? null;
  }
}

/**
 * Starts PgBouncer before a database, with `size` connections that it lends for one transaction each, and its
 * defaults for everything else.
 */
export async function pgbouncer(databaseUrl: string, size: number): Promise<TransactionPooler> {
  const program = findPgbouncer();
  if (program === null) throw new Error('there is no pgbouncer: install it');
  const target = new URL(databaseUrl);
  const [port = 0] = await freePorts(1);
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const name = target.pathname.slice(1);
  const password = target.password === '' ? '' : `password=${decodeURIComponent(target.password)}`;
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
${name} = host=${target.hostname} port=${target.port} dbname=${name} user=${target.username} ${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 200
`,
  );
  chmodSync(directory, 0o755);
  // PgBouncer refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  const child = spawn(program, [...(asRoot ? ['-u', 'nobody'] : []), settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderrTail = '';
  child.stderr.on('data', (piece: Buffer) => (stderrTail = (stderrTail + piece.toString()).slice(-4_000)));
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  url.password = '';
  url.search = '';
  for (const deadline = Date.now() + 10_000; ;) {
    const client = new pg.Client({ connectionString: url.toString() });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      await client.end();
      return { url: url.toString(), close };
    } catch (error) {
      await client.end().catch(() => undefined);
      if (child.exitCode === null && Date.now() < deadline) continue;
      await close();
      throw new Error(`pgbouncer did not start: ${stderrTail}`, { cause: error });
    }
  }
}
