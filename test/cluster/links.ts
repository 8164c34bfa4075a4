import { readFileSync } from 'node:fs';
import { writeJson } from '../../local-stack/data-dir.ts';
import type { StackSession } from '../../local-stack/session.ts';
import type { Program } from '../../local-stack/supervisor.ts';
import type { serverConfiguration } from '../../local-stack/temporal-config.ts';
import { type Relay, openRelay } from './relay.ts';

/** The two processes of each relay, by the role that is cut off from a neighbor. */
export const links = {
  history: { from: 'temporal-history-1', to: 'postgres-temporal' },
  matching: { from: 'temporal-matching-1', to: 'postgres-temporal' },
  worker: { from: 'worker-1', to: 'temporal-frontend-1' },
  api: { from: 'api-2', to: 'postgres' },
  visibility: { from: 'temporal-history-1', to: 'postgres-visibility' },
  frontend: { from: 'api', to: 'temporal-frontend-1' },
} as const;

export type Role = keyof typeof links;
type Server = (typeof links)[Role]['to'];
type Configuration = ReturnType<typeof serverConfiguration>;

/** The relays of a drill, by role. */
export type Links = Record<Role, Relay>;

/**
 * Puts a relay on 127.0.0.1 between the two processes of each link, before they start. The relays pass
 * everything until their mode changes.
 */
export async function openLinks(session: StackSession): Promise<Links> {
  const { ports, supervisor } = session;
  const portOf: Record<Server, number> = {
    postgres: ports.postgres,
    'postgres-temporal': ports.temporalCluster?.postgresTemporal ?? 0,
    'postgres-visibility': ports.temporalCluster?.postgresVisibility ?? 0,
    'temporal-frontend-1': ports.temporal,
  };
  const opened = await Promise.all(
    Object.entries(links).map(async ([role, { to }]) => {
      return [role, await openRelay(portOf[to])] as const;
    }),
  );
  const relays = Object.fromEntries(opened) as Links;
  supervisor.amend = (program) => {
    for (const [role, { from, to }] of Object.entries(links)) {
      if (program.name === from) program = redirected(program, to, relays[role as Role].port);
    }
    return program;
  };
  return relays;
}

export async function closeLinks(relays: Links): Promise<void> {
  await Promise.all(Object.values(relays).map((relay) => relay.close()));
}

/** Returns the program with another address for a server: a port of 127.0.0.1. */
function redirected(program: Program, to: Server, port: number): Program {
  const { command } = program;
  const address = `127.0.0.1:${port}`;
  if (to === 'postgres-temporal') return configured(program, 'default', address);
  if (to === 'postgres-visibility') return configured(program, 'visibility', address);
  const changed: NodeJS.ProcessEnv =
    to === 'postgres'
      ? { DATABASE_URL: databaseUrlAt(command.env['DATABASE_URL'] ?? '', port) }
      : { TEMPORAL_ADDRESS: address };
  return { ...program, command: { ...command, env: { ...command.env, ...changed } } };
}

function databaseUrlAt(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.toString();
}

/** Changes the address of a database in the configuration of a Temporal host. */
function configured(program: Program, store: 'default' | 'visibility', address: string): Program {
  const file = program.command.args[program.command.args.indexOf('--config-file') + 1] ?? '';
  const configuration = JSON.parse(readFileSync(file, 'utf8')) as Configuration;
  configuration.persistence.datastores[store].sql.connectAddr = address;
  writeJson(file, configuration);
  return program;
}
