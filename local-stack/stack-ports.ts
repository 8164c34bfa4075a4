import { z } from 'zod';
import { type DataDir, readJson, writeJson } from './data-dir.ts';
import { choosePort, claimNamedPort } from './ports.ts';

const DEFAULTS = {
  api: { label: 'API', port: 3000 },
  /** Metrics, readiness and codec of the API process. */
  private: { label: 'private port', port: 3001 },
  vault: { label: 'vault', port: 4010 },
  network: { label: 'network', port: 4020 },
  temporal: { label: 'Temporal', port: 7233 },
  temporalHttp: { label: 'Temporal HTTP API', port: 7243 },
  temporalUi: { label: 'Temporal UI', port: 8233 },
  postgres: { label: 'PostgreSQL', port: 15_432 },
};

const port = z.number().int();
const portsSchema = z.object({
  api: port,
  private: port,
  vault: port,
  network: port,
  temporal: port,
  temporalHttp: port,
  temporalUi: port,
  postgres: port,
});

export type StackPorts = z.infer<typeof portsSchema>;

/**
 * Chooses the ports of a start. Those of the last start come first: addresses handed out for payments in
 * flight stay good. A busy one is replaced by a free one and said; a port the user named is taken or refused
 * (StackProblem).
 */
export async function chooseStackPorts(
  dataDir: DataDir,
  namedApiPort: number | undefined,
  say: (line: string) => void,
): Promise<StackPorts> {
  const last = readJson(dataDir.portsFile, portsSchema.partial()) ?? {};
  const chosen: Partial<StackPorts> = {};
  for (const name of portsSchema.keyof().options) {
    const { label, port: usual } = DEFAULTS[name];
    if (name === 'api' && namedApiPort !== undefined) chosen.api = await claimNamedPort(namedApiPort);
    else chosen[name] = await chooseNear([...new Set([last[name] ?? usual, usual])], label, say);
  }
  // A named port is for one start only.
  writeJson(dataDir.portsFile, namedApiPort === undefined ? chosen : { ...chosen, api: last.api });
  return portsSchema.parse(chosen);
}

async function chooseNear(wanted: number[], label: string, say: (line: string) => void): Promise<number> {
  const { port: taken, moved } = await choosePort(wanted);
  if (moved) say(`port ${wanted[0]} is busy: ${label} takes ${taken}`);
  return taken;
}
