import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAttributes } from '../src/temporal/contract/search-attributes.ts';
import type { Program } from './supervisor.ts';

const POLL_MS = 50;
const CALL_MS = 1_000;

export interface DevServerOptions {
  cli: string;
  /** SQLite file that keeps workflows across restarts; undefined: in memory. */
  databaseFile?: string;
  port: number;
  /** Port of its HTTP API, which shows whether it is ready. */
  httpPort: number;
  /** Undefined: no web UI. */
  uiPort?: number;
  /** Lets the UI show encrypted payloads to operators. */
  codecUrl?: string;
  namespace: string;
}

/** Returns the Temporal dev server as a program, with the service's search attributes registered. */
export function temporalProgram(options: DevServerOptions): Program {
  const { cli, databaseFile, port, httpPort, uiPort, codecUrl, namespace } = options;
  if (databaseFile !== undefined) mkdirSync(dirname(databaseFile), { recursive: true });
  const args = [
    ['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'error', '--namespace', namespace],
    ['--port', String(port), '--http-port', String(httpPort)],
    uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)],
    codecUrl === undefined ? [] : ['--ui-codec-endpoint', codecUrl],
    // Three times the throughput of the defaults, and data is still consistent after a kill.
    databaseFile === undefined
      ? []
      : [
          '--db-filename',
          databaseFile,
          '--sqlite-pragma',
          'journal_mode=wal',
          '--sqlite-pragma',
          'synchronous=1',
        ],
    Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ].flat();
  return {
    name: 'temporal',
    command: { file: cli, args, env: withoutTemporalSettings() },
    stage: 3,
    signals: ['SIGTERM'],
    graceMs: 8_000,
    readyWithinMs: 60_000,
    ready: (_child, signal) => untilRegistered(`http://127.0.0.1:${httpPort}`, namespace, signal),
  };
}

/**
 * Returns the environment without TEMPORAL_*: the user's profile is for clients and must not affect our
 * server.
 */
export function withoutTemporalSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/**
 * Polls until the search attributes exist. The port opens earlier, and a workflow started in between would be
 * refused.
 */
async function untilRegistered(httpUrl: string, namespace: string, signal: AbortSignal): Promise<void> {
  const names = Object.keys(searchAttributes);
  while (!signal.aborted) {
    try {
      const response = await fetch(`${httpUrl}/cluster/namespaces/${namespace}/search-attributes`, {
        signal: AbortSignal.timeout(CALL_MS),
      });
      const text = response.ok ? await response.text() : '';
      if (names.every((name) => text.includes(`"${name}"`))) return;
    } catch {
      // It does not listen yet.
    }
    await sleep(POLL_MS);
  }
}
