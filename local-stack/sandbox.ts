import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type DataDir, readJson, writeJson } from './data-dir.ts';
import { StackProblem, reasonOf } from './problem.ts';

const ADMIN_MS = 60_000;
const KEY_CHECK_MS = 10_000;
const KEY_CHECK_PAUSE_MS = 250;

const sandboxSchema = z.object({ merchantId: z.string(), apiKey: z.string() });

export type Sandbox = z.infer<typeof sandboxSchema>;

export interface SandboxOptions {
  dataDir: DataDir;
  /** Script of the operator command (docs/operations.md). */
  admin: string;
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Returns the merchant that an earlier start on this data directory created, if any. */
export function storedSandbox(dataDir: DataDir): Sandbox | undefined {
  return readJson(dataDir.sandboxFile, sandboxSchema);
}

/**
 * Creates a merchant with a key that may use both modes in sandbox. Stores both in a file (mode 0600),
 * because a key is shown only once.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { merchantId } = z
    .object({ merchantId: z.string() })
    .parse(await admin(options, ['merchant', 'create', '--name', 'Sandbox shop']));
  const place = ['--merchant', merchantId, '--environment', 'sandbox'];
  await admin(options, ['settings', 'set', ...place, '--custom-mode', 'on']);
  const { apiKey } = z
    .object({ apiKey: z.string() })
    .parse(await admin(options, ['key', 'create', ...place, '--name', 'npm start']));
  const sandbox = { merchantId, apiKey };
  writeJson(options.dataDir.sandboxFile, sandbox);
  return sandbox;
}

/** Flags of `admin settings set` for a merchant of a load test, whose key declines hundreds of test cards. */
export const declinesUnlimited = ['merchant', 'key', 'address', 'bin', 'card'].flatMap((dimension) => [
  `--declines-per-${dimension}`,
  '0',
]);

/** Returns a link that signs the merchant's owner in to the dashboard once. */
export async function dashboardLink(options: SandboxOptions, merchantId: string): Promise<string> {
  const answer = await admin(options, ['dashboard', 'link', '--merchant', merchantId]);
  return z.object({ url: z.string() }).parse(answer).url;
}

/**
 * Returns false when the key was revoked or belongs to another database. Repeats while the API does not
 * answer, which may be restarting; throws StackProblem when it has not answered for `withinMs`.
 */
export async function isKeyAccepted(
  baseUrl: string,
  apiKey: string,
  signal: AbortSignal,
  withinMs = KEY_CHECK_MS,
): Promise<boolean> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(withinMs)]);
  for (;;) {
    try {
      const response = await fetch(`${baseUrl}/v1/payments?perPage=1`, {
        headers: { authorization: `Bearer ${apiKey}` },
        signal: end,
      });
      await response.body?.cancel();
      return response.status !== 401;
    } catch (error) {
      signal.throwIfAborted();
      if (end.aborted) {
        throw new StackProblem(`the API at ${baseUrl} did not answer: ${reasonOf(error)}. See its log`);
      }
      await sleep(KEY_CHECK_PAUSE_MS);
    }
  }
}

/** Runs a subcommand of the operator command and returns its answer. Throws StackProblem. */
export async function admin(
  { admin: script, environment, signal }: SandboxOptions,
  args: string[],
): Promise<unknown> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args, '--json'], {
      env: environment,
      timeout: ADMIN_MS,
      signal,
    });
    return JSON.parse(stdout);
  } catch (error) {
    signal.throwIfAborted();
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new StackProblem(
      `the sandbox merchant could not be prepared (admin ${args[0]} ${args[1]}): ${stderr || reasonOf(error)}`,
    );
  }
}
