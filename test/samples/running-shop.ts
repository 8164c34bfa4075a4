import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A sample's process. */
export interface RunningShop {
  url: string;
  /** How often the shop said that it ships an order. */
  shipments: (order: string) => number;
  /** How many webhooks it accepted, by its access log. */
  webhooks: () => number;
  /** Ends it without warning, with all that it started. */
  kill: () => Promise<void>;
}

const startMs = 60_000;
const pauseMs = 100;

/** Starts a shop and waits until it answers. Throws with its output when it does not. */
export async function startShop(
  command: readonly [string, ...string[]],
  options: { cwd: string; url: string; env: NodeJS.ProcessEnv },
): Promise<RunningShop> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended already.
    }
    await ended;
  };
  const deadline = performance.now() + startMs;
  for (;;) {
    const isUp = await fetch(options.url, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || performance.now() > deadline) {
      await kill();
      throw new Error(`the shop did not start\n${output.slice(-4_000)}`);
    }
    await sleep(pauseMs);
  }
  return {
    url: options.url,
    shipments: (order) => output.split(`shipping ${order}`).length - 1,
    webhooks: () => output.split(/POST \/webhooks\S* .*\b204\b|received \S+/).length - 1,
    kill,
  };
}
