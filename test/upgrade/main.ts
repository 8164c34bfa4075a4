/**
 * `npm run test:upgrade -- [--from X.Y.Z] [--keep]`: starts each release of the history, makes payments in
 * every state, stops it, and starts today's version on the same data directory. What was answered is answered
 * again, and what was open goes on to its end. Takes about two minutes for a release, and two more the first
 * time, when it is installed and built. The last line is `N passed, N failed`.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { choosePort } from '../../local-stack/ports.ts';
import { listenForStop } from '../../local-stack/stop-signals.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { startReceiver } from '../chaos/receiver.ts';
import { Shop } from '../deploy/shop.ts';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { failedReplays, finish, leaveOpen, migrationsOf, refundDelaySeconds } from './payments.ts';
import { type PublishedVersion, releaseCheckout, releasedVersions } from './releases.ts';
import { startVersion } from './stack.ts';

const RECEIVER_PORT = 4300;

const values = readFlags({
  name: 'test:upgrade',
  does: 'Upgrades the data directory of each release with payments in every state.',
  flags: {
    from: { takes: 'version', means: 'only this release' },
    keep: { means: 'keep the data directories' },
  },
});

const results = { passed: 0, failed: 0 };
function report(title: string, isTrue: boolean, seen: unknown = ''): void {
  results[isTrue ? 'passed' : 'failed'] += 1;
  const line = `${isTrue ? '✓' : '✗'} ${title} ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`;
  process.stdout.write(`${line.trimEnd()}\n`);
}
const logLine = (line: string): void => void process.stderr.write(`${line}\n`);

const { signal } = listenForStop(() => process.exit(130));

await runTool(async () => {
  const releases = releasedVersions().filter(({ version }) => [undefined, version].includes(values.from));
  if (releases.length === 0) throw new Problem(`there is no release ${values.from}`);
  for (const release of releases) {
    const directory = mkdtempSync(join(tmpdir(), 'card-payments-upgrade-'));
    try {
      await upgrade(release, directory);
    } finally {
      if (values.keep) logLine(`kept: ${directory}`);
      else rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  process.stdout.write(`${results.passed} passed, ${results.failed} failed\n`);
  return results.failed === 0;
});
await exitWhenPrinted();

async function upgrade(release: PublishedVersion, directory: string): Promise<void> {
  const checkout = releaseCheckout(release, logLine);
  const dataDir = join(directory, 'data');
  const { port } = await choosePort([RECEIVER_PORT]);
  const receiver = await startReceiver(port);
  try {
    process.stdout.write(`${release.version} (${release.commit.slice(0, 8)})\n`);
    const common = { dataDir, environment: environment(), signal };
    const before = await startVersion({
      ...common,
      checkout,
      flags: ['--no-demo'],
      logFile: join(directory, 'before.log'),
    });
    let left;
    let own: Applied[];
    try {
      own = await appliedMigrations(before.stack.databaseUrl);
      report('runs, with its own migrations', equal(names(own), migrationsOf(checkout)), own.length);
      left = await leaveOpen(new Shop(before.stack), receiver, `http://127.0.0.1:${port}/hook`);
    } finally {
      await before.stop();
    }
    const stoppedAt = Date.now();
    const after = await startVersion({
      ...common,
      checkout: projectRoot,
      flags: ['--no-demo', '--no-guides'],
      logFile: join(directory, 'after.log'),
    });
    try {
      report(
        'today starts on its data',
        true,
        `${Math.round((Date.now() - stoppedAt) / 1000)} s after its stop`,
      );
      const applied = await appliedMigrations(after.stack.databaseUrl);
      const kept = applied.slice(0, own.length);
      report('its migrations are as they were applied', equal(kept, own));
      report('those since then are applied', equal(names(applied), migrationsOf()), applied.length);
      const shop = new Shop(after.stack);
      report('its API key is accepted', after.stack.sandboxApiKey === before.stack.sandboxApiKey);
      await finish(shop, receiver, left, report);
      const worker = join(dataDir, 'logs', 'worker.log');
      const failed = existsSync(worker) ? failedReplays(worker) : -1;
      report('every history replays', failed === 0, failed === 0 ? '' : `${failed} lines`);
    } finally {
      await after.stop();
    }
  } finally {
    await receiver.close();
  }
}

/** Refunds wait until today's version runs, and failed deliveries come again soon. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'XDG_CACHE_HOME', 'TMPDIR', 'LANG'];
  return {
    ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
    RATE_LIMITS: 'off',
    REFUND_DELAY_SECONDS: String(refundDelaySeconds),
    WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,5,10,15,20,20,20,20,20',
  };
}

interface Applied {
  name: string;
  run_on: Date;
}

function names(applied: readonly Applied[]): string[] {
  return applied.map(({ name }) => name);
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function appliedMigrations(databaseUrl: string): Promise<Applied[]> {
  const client = new Client({ connectionString: databaseUrl, query_timeout: 10_000 });
  await client.connect();
  try {
    return (await client.query<Applied>('SELECT name, run_on FROM schema_migrations ORDER BY name')).rows;
  } finally {
    await client.end();
  }
}
