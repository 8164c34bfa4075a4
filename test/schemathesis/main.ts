/**
 * `npm run test:schemathesis -- [--seed 1] [--max-examples 15] [--phases examples,coverage]`: Schemathesis
 * with every operation of the OpenAPI document, against `npm start` on data of its own. Exit code 1 when it
 * found a failure, or when Python 3.11 or a package of `requirements.txt` is missing.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir } from '../../local-stack/cache-dir.ts';
import { Problem } from '../../scripts/lib/problem.mjs';
import { readFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { type RunningStack, startStack } from './stack.ts';

const requirements = join(projectRoot, 'test', 'schemathesis', 'requirements.txt');
const installMs = 300_000;
/** Far above what the number of examples takes. */
const runMs = 600_000;

const values = readFlags({
  name: 'test:schemathesis',
  does: 'Has Schemathesis try every operation of the OpenAPI document against npm start.',
  flags: {
    seed: { takes: 's', means: 'what the examples are drawn from', otherwise: '1' },
    maxExamples: { takes: 'n', means: 'examples of an operation', otherwise: '15' },
    phases: {
      takes: 'names',
      means: "Schemathesis' phases",
      otherwise: 'examples,coverage,fuzzing,stateful',
    },
  },
});

await runTool(async () => {
  const seed = wholeNumber('seed', values.seed);
  const examples = wholeNumber('max-examples', values.maxExamples);
  const program = await installSchemathesis();
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-schemathesis-'));
  let stack: RunningStack | undefined;
  try {
    // Its limits would stand before the answers that are wanted; they have tests of their own.
    stack = await startStack(join(directory, 'data'), { RATE_LIMITS: 'off' });
    const { baseUrl, sandboxApiKey } = stack;
    const code = await run(runMs, program, [
      ...['run', `${baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${sandboxApiKey}`],
      ...['--seed', String(seed), '--max-examples', String(examples), '--phases', values.phases],
      ...['--rate-limit', '200/s'],
    ]);
    return code === 0;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Installs exactly what requirements.txt names, once for every clone of this user; returns the program. */
async function installSchemathesis(): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const directory = join(cacheDir('schemathesis'), version);
  const bin = join(directory, process.platform === 'win32' ? 'Scripts' : 'bin');
  const done = join(directory, 'installed');
  if (!existsSync(done)) {
    await install(installMs, 'python3', ['-m', 'venv', '--clear', directory]);
    await install(installMs, join(bin, 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
      ...['--require-hashes', '--only-binary', ':all:', '--requirement', requirements],
    ]);
    writeFileSync(done, '');
  }
  return join(bin, 'schemathesis');
}

async function install(timeoutMs: number, program: string, args: string[]): Promise<void> {
  const failed = `Schemathesis could not be installed: it needs python3 (3.11 or later, with venv) and PyPI`;
  const code = await run(timeoutMs, program, args).catch(() => {
    throw new Problem(failed);
  });
  if (code !== 0) throw new Problem(failed);
}

/** Runs a program whose output is ours; returns its exit code, null when it had to be ended. */
async function run(timeoutMs: number, program: string, args: string[]): Promise<number | null> {
  const child = spawn(program, args, {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: timeoutMs,
    // What Python would leave behind in the clone.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const stop = (): void => void child.kill();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
