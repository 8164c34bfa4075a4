import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processIdentity } from '../../scripts/lib/process-identity.mjs';

/** Far longer than any step here takes, so a test that reaches it has failed. */
const LIMIT_MS = 100_000;
/** The script of `npm start`, with the real child processes. */
export const realMain = fileURLToPath(new URL('../../dist/local-stack/main.js', import.meta.url));
const fakes = fileURLToPath(new URL('./fakes/main.js', import.meta.url));

export interface StackFile {
  baseUrl: string;
  apiUrls: string[];
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string;
  vaultUrl: string;
  networkUrl: string;
  merchantId: string;
  sandboxApiKey: string;
  demoPaymentId: string | null;
  dashboardUrl: string;
  processes: Record<string, number>;
}

export class LauncherProcess {
  readonly dataDir: string;
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #exit: Promise<number>;

  constructor(
    dataDir: string,
    args: readonly string[] = [],
    environment: NodeJS.ProcessEnv = {},
    main: string = fakes,
  ) {
    this.dataDir = dataDir;
    // The stack must not use the servers of the test run.
    const {
      DATABASE_URL: _database,
      TEMPORAL_ADDRESS: _temporal,
      GOROOT: _go,
      NODE_OPTIONS: _options,
      ...env
    } = process.env;
    this.child = spawn(process.execPath, [main, '--data-dir', dataDir, ...args], {
      // The mark that identifies the processes of this stack, whatever their arguments.
      env: { ...env, ...environment, STACK_UNDER_TEST: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk) => (this.stdout += String(chunk)));
    this.child.stderr?.on('data', (chunk) => (this.stderr += String(chunk)));
    this.#exit = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)));
    });
  }

  get stackFilePath(): string {
    return join(this.dataDir, 'stack.json');
  }

  stackFile(): StackFile {
    return JSON.parse(readFileSync(this.stackFilePath, 'utf8'));
  }

  async ready(): Promise<StackFile> {
    await until(() => {
      if (this.child.exitCode !== null) throw new Error(`the launcher ended: ${this.stderr}`);
      return this.stdout.includes('✔ Ready');
    });
    return this.stackFile();
  }

  /** Exit code of the launcher. */
  ended(): Promise<number> {
    return this.#exit;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.child.kill(signal);
    return this.#exit;
  }
}

export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'card-payments-launcher-'));
}

/** Waits until the condition holds; throws when it does not within LIMIT_MS. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition.toString()}`);
    await sleep(50);
  }
}

export const isRunning = (pid: number): boolean => processIdentity(pid) !== undefined;

/** Returns whether no record of a launcher and no process of the stack is left. */
export function isFullyStopped(dataDir: string): boolean {
  const records = ['stack.json', 'run.json', 'launcher.lock'].filter((name) =>
    existsSync(join(dataDir, name)),
  );
  return records.length === 0 && processesOn(dataDir).length === 0;
}

/** Returns processes that work in the directory, or have it in their arguments or environment. */
function processesOn(dataDir: string): string[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(dataDir));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => {
    try {
      const texts = [
        readlinkSync(`/proc/${pid}/cwd`),
        readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
        readFileSync(`/proc/${pid}/environ`, 'utf8'),
      ];
      return texts.some((text) => text.includes(dataDir));
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

/** Ends all processes that a failed test may have left on the directory, then removes it. */
export async function cleanUp(launchers: readonly LauncherProcess[]): Promise<void> {
  const running = launchers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  await Promise.all(running.map((launcher) => launcher.stop()));
  for (const { dataDir } of launchers) rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
}
