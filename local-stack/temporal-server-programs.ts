import { existsSync } from 'node:fs';
import {
  type CachedProgram,
  type FetchOptions,
  cachedPath,
  cachedProgram,
  findGo,
  goInstall,
} from './go-install.ts';
import { StackProblem } from './problem.ts';

const GO = '1.26.8';

/** Pinned together: the sql tool contains the schema of its server. */
const PROGRAMS = {
  server: {
    name: 'temporal-server-1.32.0',
    label: 'the server',
    ...{ module: 'go.temporal.io/server', version: 'v1.32.0', directory: 'cmd/server' },
    go: GO,
  },
  sqlTool: {
    name: 'temporal-sql-tool-1.32.0',
    label: 'its sql tool',
    ...{ module: 'go.temporal.io/server', version: 'v1.32.0', directory: 'cmd/tools/sql' },
    go: GO,
  },
  ui: {
    name: 'temporal-ui-server-2.54.1',
    label: 'its web UI',
    ...{ module: 'github.com/temporalio/ui-server/v2', version: 'v2.54.1', directory: 'cmd/server' },
    go: GO,
  },
} as const satisfies Record<string, CachedProgram>;

/** Paths of the programs of a real Temporal server. */
export type TemporalServerPrograms = Record<keyof typeof PROGRAMS, string>;

/**
 * Returns the programs of the real Temporal server from the cache, and builds them there with Go when they
 * are missing. Throws StackProblem when they are missing and Go is too. docs/operations.md.
 */
export async function findTemporalServer(options: FetchOptions): Promise<TemporalServerPrograms> {
  const get = (program: CachedProgram): Promise<string> =>
    cachedProgram(program.name, options, async (target, logFile) => {
      const go = findGo();
      if (go === undefined) throw noGo();
      await goInstall(go, program, target, logFile, options);
    });
  // One after the other: a single build keeps every core busy.
  return {
    server: await get(PROGRAMS.server),
    sqlTool: await get(PROGRAMS.sqlTool),
    ui: await get(PROGRAMS.ui),
  };
}

/** Returns whether all programs are in the cache. */
export function temporalServerIsCached(): boolean {
  return Object.values(PROGRAMS).every(({ name }) => existsSync(cachedPath(name)));
}

function noGo(): StackProblem {
  return new StackProblem(
    `Temporal's server is built once with Go and there is no Go here: install Go ${GO} or newer (https://go.dev/dl) and start again, or start without --temporal`,
  );
}
