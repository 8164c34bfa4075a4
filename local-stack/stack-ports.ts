import { z } from 'zod';
import { type DataDir, readJson, writeJson } from './data-dir.ts';
import { type TemporalClusterPorts, chooseClusterPorts, clusterPortsSchema } from './cluster-ports.ts';
import type { StackOptions } from './options.ts';
import { choosePort, claimNamedPort } from './ports.ts';

const DEFAULTS = {
  api: { label: 'API', port: 3000 },
  /** Metrics, readiness and codec of the API process. */
  private: { label: 'private port', port: 3001 },
  vault: { label: 'vault', port: 4010 },
  network: { label: 'network', port: 4020 },
  /** Simulators of live payments; the sandbox has its own. */
  liveVault: { label: 'live vault', port: 4011 },
  liveNetwork: { label: 'live network', port: 4021 },
  temporal: { label: 'Temporal', port: 7233 },
  temporalHttp: { label: 'Temporal HTTP API', port: 7243 },
  temporalUi: { label: 'Temporal UI', port: 8233 },
  postgres: { label: 'PostgreSQL', port: 15_432 },
};
/** Ports between the parts of a real Temporal server; no other program uses them. */
const INNER_DEFAULTS = {
  history: 7234,
  matching: 7235,
  worker: 7239,
  frontendMembership: 6933,
  historyMembership: 6934,
  matchingMembership: 6935,
  workerMembership: 6939,
};
/**
 * Ports of the dialects and of the card frame of their hosted pages, only for `--connector stripe-dialect`.
 */
const DIALECT_DEFAULTS = { stripe: 4030, pciVault: 4040, cardFrame: 4050 };
/** First ports of the additional APIs, and first private ports of those APIs and of the workers. */
const FIRST_MORE_API = 3100;
const FIRST_MORE_PRIVATE = 3200;
const FIRST_WORKER = 3300;

/** Port of the replica, with `--standby`. */
const USUAL_STANDBY = 15_442;

const port = z.number().int();
const innerSchema = z.object({
  history: port,
  matching: port,
  worker: port,
  frontendMembership: port,
  historyMembership: port,
  matchingMembership: port,
  workerMembership: port,
});
const dialectSchema = z.object({
  stripe: port,
  pciVault: port,
  cardFrame: port.default(DIALECT_DEFAULTS.cardFrame),
});
const namedSchema = z.object({
  api: port,
  private: port,
  vault: port,
  network: port,
  liveVault: port,
  liveNetwork: port,
  temporal: port,
  temporalHttp: port,
  temporalUi: port,
  postgres: port,
});
const storedSchema = namedSchema.partial().extend({
  temporalInner: innerSchema.optional(),
  temporalCluster: clusterPortsSchema.optional(),
  postgresStandby: port.optional(),
  dialects: dialectSchema.optional(),
  moreApis: z.array(port).optional(),
  morePrivate: z.array(port).optional(),
  workers: z.array(port).optional(),
});

export type TemporalInnerPorts = z.infer<typeof innerSchema>;

export type DialectPorts = z.infer<typeof dialectSchema>;

export interface StackPorts extends z.infer<typeof namedSchema> {
  /** Ports of a real Temporal server; undefined without `--temporal server`. */
  temporalInner?: TemporalInnerPorts;
  /** Ports of a cluster; undefined without `--temporal cluster`. */
  temporalCluster?: TemporalClusterPorts;
  /** Port of the replica; undefined without `--standby`. */
  postgresStandby?: number;
  /** Ports of the dialects; undefined when the sandbox uses the simulators. */
  dialects?: DialectPorts;
  /** Ports of the APIs after the first. */
  moreApis: number[];
  /** Private ports of the APIs after the first, and of the workers. */
  morePrivate: number[];
  workers: number[];
}

/**
 * Chooses the ports of a start, preferring those of the last start, so that addresses of open payments stay
 * valid. Prints each replacement of a busy port. Throws StackProblem when the port that `--port` names is
 * busy.
 */
export async function chooseStackPorts(
  dataDir: DataDir,
  {
    port: namedApiPort,
    apis,
    workers,
    temporal,
    connector,
    standby,
  }: Pick<StackOptions, 'port' | 'apis' | 'workers' | 'temporal' | 'connector' | 'standby'>,
  print: (line: string) => void,
): Promise<StackPorts> {
  const last = readJson(dataDir.portsFile, storedSchema) ?? {};
  const named: Partial<StackPorts> = {};
  for (const name of namedSchema.keyof().options) {
    const { label, port: usual } = DEFAULTS[name];
    if (name === 'api' && namedApiPort !== undefined) named.api = await claimNamedPort(namedApiPort);
    else named[name] = await chooseNear([...new Set([last[name] ?? usual, usual])], label, print);
  }
  const more = {
    moreApis: await chooseMore(FIRST_MORE_API, apis - 1, last.moreApis),
    morePrivate: await chooseMore(FIRST_MORE_PRIVATE, apis - 1, last.morePrivate),
    workers: await chooseMore(FIRST_WORKER, workers, last.workers),
  };
  const inner = temporal === 'server' ? await chooseTemporalInnerPorts(last.temporalInner) : undefined;
  const cluster = temporal === 'cluster' ? await chooseClusterPorts(last.temporalCluster) : undefined;
  const replica =
    standby === undefined ? undefined : (await choosePort([last.postgresStandby ?? USUAL_STANDBY])).port;
  const dialects = connector === 'stripe-dialect' ? await chooseDialectPorts(last.dialects) : undefined;
  const chosen: StackPorts = {
    ...namedSchema.parse(named),
    ...more,
    ...(inner === undefined ? {} : { temporalInner: inner }),
    ...(cluster === undefined ? {} : { temporalCluster: cluster }),
    ...(replica === undefined ? {} : { postgresStandby: replica }),
    ...(dialects === undefined ? {} : { dialects }),
  };
  // A port from --port counts for one start only; ports of parts that do not run this time are kept for the
  // next.
  writeJson(dataDir.portsFile, {
    ...last,
    ...chosen,
    ...(namedApiPort === undefined ? {} : { api: last.api }),
    moreApis: withRest(more.moreApis, last.moreApis),
    morePrivate: withRest(more.morePrivate, last.morePrivate),
    workers: withRest(more.workers, last.workers),
  });
  return chosen;
}

/** Chooses the inner ports of a real Temporal server, preferring those of an earlier start. */
export async function chooseTemporalInnerPorts(last?: TemporalInnerPorts): Promise<TemporalInnerPorts> {
  const inner: Partial<TemporalInnerPorts> = {};
  for (const name of innerSchema.keyof().options) {
    const { port: chosen } = await choosePort([last?.[name] ?? INNER_DEFAULTS[name], INNER_DEFAULTS[name]]);
    inner[name] = chosen;
  }
  return innerSchema.parse(inner);
}

async function chooseDialectPorts(last?: DialectPorts): Promise<DialectPorts> {
  const chosen: Partial<DialectPorts> = {};
  for (const name of dialectSchema.keyof().options) {
    const { port: taken } = await choosePort([
      last?.[name] ?? DIALECT_DEFAULTS[name],
      DIALECT_DEFAULTS[name],
    ]);
    chosen[name] = taken;
  }
  return dialectSchema.parse(chosen);
}

const withRest = (chosen: readonly number[], last: readonly number[] = []): number[] => [
  ...chosen,
  ...last.slice(chosen.length),
];

async function chooseMore(first: number, count: number, last: readonly number[] = []): Promise<number[]> {
  const chosen: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const { port: next } = await choosePort([last[index] ?? first + index]);
    chosen.push(next);
  }
  return chosen;
}

async function chooseNear(wanted: number[], label: string, print: (line: string) => void): Promise<number> {
  const { port: taken, moved } = await choosePort(wanted);
  if (moved) print(`port ${wanted[0]} is busy: ${label} takes ${taken}`);
  return taken;
}
