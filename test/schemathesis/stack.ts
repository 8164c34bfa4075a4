import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Problem } from '../../scripts/lib/problem.mjs';
import { projectRoot } from '../support/harness/project-root.ts';

/** A running `npm start`. */
export interface RunningStack {
  baseUrl: string;
  sandboxApiKey: string;
  stop: () => Promise<void>;
}

const stackFile = z.object({ baseUrl: z.string(), sandboxApiKey: z.string() });
/** The first start downloads its servers. */
const startMs = 900_000;
const pollMs = 200;

/**
 * Starts what `npm start -- --data-dir <directory> --no-guides` starts, on a free port, and waits until it
 * is ready.
 */
export async function startStack(directory: string, settings: Record<string, string>): Promise<RunningStack> {
  const file = join(directory, 'stack.json');
  const launcher = spawn(
    process.execPath,
    [join(projectRoot, 'scripts', 'start.mjs'), '--data-dir', directory, '--no-guides'],
    { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...settings } },
  );
  let outputTail = '';
  for (const stream of [launcher.stdout, launcher.stderr]) {
    stream.on('data', (chunk: Buffer) => (outputTail = (outputTail + chunk.toString()).slice(-4_000)));
  }
  const ended = once(launcher, 'exit');
  const stop = async (): Promise<void> => {
    launcher.kill('SIGTERM');
    await ended;
  };
  const hasEnded = (): boolean => launcher.exitCode !== null || launcher.signalCode !== null;
  const deadline = performance.now() + startMs;
  while (!existsSync(file)) {
    if (hasEnded() || performance.now() > deadline) {
      if (!hasEnded()) await stop();
      throw new Problem(`${outputTail.trim()}\nthe stack did not start`);
    }
    await sleep(pollMs);
  }
  return { ...stackFile.parse(JSON.parse(readFileSync(file, 'utf8'))), stop };
}
