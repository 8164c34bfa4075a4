import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { Http } from '../bench/http.ts';
import { Shop } from '../bench/shop.ts';
import { projectRoot } from '../support/harness/project-root.ts';

const admin = join(projectRoot, 'dist/src/cli/admin.js');
const launcherMain = join(projectRoot, 'dist/local-stack/main.js');
const runMs = 200_000;
const startMs = 120_000;

const descriptionSchema = z.object({
  baseUrl: z.string(),
  privateUrls: z.record(z.string(), z.string()),
  networkUrl: z.string(),
  databaseUrl: z.string(),
  sandboxApiKey: z.string(),
});

const ledgerSchema = z.object({
  charges: z.array(z.object({ status: z.string() })),
  refunds: z.array(z.object({ status: z.string(), amountCents: z.number() })),
});

/** What a database directory of the stack holds. */
type Store = 'postgres' | 'temporal';

/** The answer of an operator command. */
export interface Printed {
  code: number | null;
  answer: Record<string, unknown>;
  error: string;
}

/** A stack in a directory of its own, whose databases are copied while it is stopped, and put back later. */
export class Stand {
  readonly #root = mkdtempSync(join(tmpdir(), 'card-payments-restore-'));
  readonly http = new Http();
  readonly #settings: Record<string, string>;
  #launcher: ChildProcess | null = null;
  #description: z.infer<typeof descriptionSchema> | null = null;

  constructor(settings: Record<string, string> = {}) {
    this.#settings = settings;
  }

  get dataDir(): string {
    return join(this.#root, 'data');
  }

  get running(): z.infer<typeof descriptionSchema> {
    if (this.#description === null) throw new Error('the stack does not run');
    return this.#description;
  }

  get shop(): Shop {
    return new Shop(this.http, [this.running.baseUrl], [this.running.sandboxApiKey]);
  }

  async start(): Promise<void> {
    const { DATABASE_URL: _database, TEMPORAL_ADDRESS: _temporal, ...environment } = process.env;
    const args = [launcherMain, '--data-dir', this.dataDir, '--no-demo', '--no-guides'];
    const launcher = spawn(process.execPath, args, {
      env: { ...environment, RATE_LIMITS: 'off', SWEEP_SECONDS: '1', ...this.#settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#launcher = launcher;
    let printed = '';
    for (const stream of [launcher.stdout, launcher.stderr])
      stream.on('data', (chunk) => (printed += String(chunk)));
    await eventually(
      'the start of the stack',
      async () => {
        if (launcher.exitCode !== null) throw new Error(`the launcher ended: ${printed}`);
        return printed.includes('✔ Ready') ? true : undefined;
      },
      startMs,
    );
    const text = readFileSync(join(this.dataDir, 'stack.json'), 'utf8');
    this.#description = descriptionSchema.parse(JSON.parse(text));
  }

  /** Stops all processes. */
  async stop(): Promise<void> {
    const launcher = this.#launcher;
    this.#launcher = null;
    this.#description = null;
    if (launcher === null || launcher.exitCode !== null) return;
    const gone = once(launcher, 'close');
    launcher.kill('SIGTERM');
    await gone;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.http.close();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Copies a database's directory, with its owners; the stack must be stopped. */
  backUp(store: Store): void {
    execFileSync('cp', ['-a', join(this.dataDir, store), join(this.#root, `${store}-backup`)]);
  }

  /** Puts the copy in place of the directory. */
  restore(store: Store): void {
    this.remove(store);
    execFileSync('cp', ['-a', join(this.#root, `${store}-backup`), join(this.dataDir, store)]);
  }

  remove(store: Store): void {
    rmSync(join(this.dataDir, store), { recursive: true, force: true });
  }

  /** Runs an operator command on the stack; with `killAfterMs` it is killed then. */
  async admin(args: readonly string[], killAfterMs?: number): Promise<Printed> {
    const run = promisify(execFile)(
      process.execPath,
      [admin, ...args, '--json', '--data-dir', this.dataDir],
      {
        maxBuffer: 64 * 1024 * 1024,
        timeout: killAfterMs ?? runMs,
        killSignal: 'SIGKILL',
      },
    );
    const { code, stdout, stderr } = await run.then(
      (done) => ({ code: 0, ...done }),
      (error: { code: number | null; stdout: string; stderr: string }) => error,
    );
    const answer = stdout.startsWith('{') ? (JSON.parse(stdout) as Record<string, unknown>) : {};
    return { code, answer, error: stderr };
  }

  async ledger(paymentId: string): Promise<z.infer<typeof ledgerSchema>> {
    const { body } = await this.http.call('GET', `${this.running.networkUrl}/ledger?paymentId=${paymentId}`);
    return ledgerSchema.parse(body);
  }

  /** Returns what the API says of its readiness. */
  async ready(): Promise<{ status: number; body: Record<string, unknown> }> {
    const url = this.running.privateUrls['api'] ?? Object.values(this.running.privateUrls)[0] ?? '';
    return this.http.call('GET', `${url}/readyz`);
  }

  /** Reads rows of the service's own database. */
  async query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.running.databaseUrl });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** What the worker and the API logged. */
  log(name: string): string {
    return readFileSync(join(this.dataDir, 'logs', `${name}.log`), 'utf8');
  }
}

/** Waits until a value is there; throws with the last fault when it does not come in time. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  withinMs: number,
): Promise<T> {
  const endsAt = Date.now() + withinMs;
  let fault = '';
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      fault = error instanceof Error ? `: ${error.message}` : '';
    }
    if (Date.now() > endsAt) throw new Error(`${what} did not come true within ${withinMs} ms${fault}`);
    await sleep(250);
  }
}
