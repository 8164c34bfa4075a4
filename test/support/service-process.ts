import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import type { World } from './world.ts';

/** A real process of a world's service, from the compiled files, which races another one or is killed. */
export interface ServiceProcess {
  pid: number;
  /** Kills it, as a crash does; resolves when it is gone. */
  kill: () => Promise<void>;
  /** Freezes it with its connections, like a machine that swaps; `thaw` continues it. */
  freeze: () => void;
  thaw: () => void;
  /** Stops it as a deploy does; returns its exit code when it has ended. */
  stop: (signal?: 'SIGINT') => Promise<number | null>;
  /** Returns its log. */
  logged: () => string;
}

export interface ApiProcess extends ServiceProcess {
  baseUrl: string;
}

/** Starts an API process beside the world's own; `changes` replace settings. */
export async function startApiProcess(
  world: World,
  changes: Record<string, string> = {},
): Promise<ApiProcess> {
  const [port] = await freePorts(1);
  const started = await startProcess(world, 'api/server.js', { API_PORT: String(port), ...changes });
  return { ...started, baseUrl: `http://127.0.0.1:${port}` };
}

/** Starts a worker process for all queues. To have only this one, stop the world's own worker first. */
export function startWorkerProcess(
  world: World,
  changes: Record<string, string> = {},
): Promise<ServiceProcess> {
  return startProcess(world, 'worker/main.js', changes);
}

async function startProcess(
  world: World,
  script: string,
  changes: Record<string, string>,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/src', script)], {
    // The IPC channel reports that it is ready, and ends it when this process dies.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...world.environment,
      PRIVATE_PORT: '0',
      DRAIN_SECONDS: '0',
      ...changes,
    },
  });
  const kill = async (): Promise<void> => {
    if (isGone(child)) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  };
  let complaints = '';
  let logs = '';
  child.stdout?.on('data', (chunk: Buffer) => (logs += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message) => (message as { type?: unknown }).type === 'ready' && resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${complaints}`)));
  });
  return {
    pid: child.pid ?? 0,
    kill,
    stop,
    logged: () => logs,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
