import { readFileSync } from 'node:fs';
import { writeJson } from '../../local-stack/data-dir.ts';
import type { StackPorts } from '../../local-stack/stack-ports.ts';
import type { Program } from '../../local-stack/supervisor.ts';
import type { serverConfiguration } from '../../local-stack/temporal-config.ts';

/** The servers before which a relay can stand. */
export type Server =
  'postgres' | 'postgres-temporal' | 'postgres-visibility' | 'temporal-frontend-1' | 'vault' | 'network';
type Configuration = ReturnType<typeof serverConfiguration>;

/** Returns the port on which a server of the stack listens. */
export function portOf(ports: StackPorts, server: Server): number {
  const byName: Record<Server, number> = {
    postgres: ports.postgres,
    'postgres-temporal': ports.temporalCluster?.postgresTemporal ?? 0,
    'postgres-visibility': ports.temporalCluster?.postgresVisibility ?? 0,
    'temporal-frontend-1': ports.temporal,
    vault: ports.vault,
    network: ports.network,
  };
  return byName[server];
}

/** Returns the program with another address for a server: a port of 127.0.0.1. */
export function redirected(program: Program, to: Server, port: number): Program {
  const { command } = program;
  const address = `127.0.0.1:${port}`;
  if (to === 'postgres-temporal') return configured(program, 'default', address);
  if (to === 'postgres-visibility') return configured(program, 'visibility', address);
  return {
    ...program,
    command: { ...command, env: { ...command.env, ...settingsOf(to, port, command.env) } },
  };
}

function settingsOf(
  to: 'postgres' | 'temporal-frontend-1' | 'vault' | 'network',
  port: number,
  environment: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const address = `127.0.0.1:${port}`;
  if (to === 'postgres') return { DATABASE_URL: databaseUrlAt(environment['DATABASE_URL'] ?? '', port) };
  if (to === 'temporal-frontend-1') return { TEMPORAL_ADDRESS: address };
  if (to === 'network') return { NETWORK_URL: `http://${address}` };
  // Merchants send cards to the vault itself, at one address.
  const known = environment['VAULT_PUBLIC_URL'] ?? environment['VAULT_URL'];
  return { VAULT_URL: `http://${address}`, VAULT_PUBLIC_URL: known };
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
