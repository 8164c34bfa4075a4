import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StackProblem, reasonOf } from './problem.ts';
import { searchAttributes } from '../src/temporal/contract/search-attributes.ts';

const CONNECT_MS = 5_000;

export interface ExternalTemporal {
  address: string;
  namespace: string;
}

/**
 * The Temporal server the user pointed at, by `TEMPORAL_ADDRESS` or a profile of the Temporal configuration
 * file, with the search attributes registered there. Undefined when there is none. Throws StackProblem when
 * it cannot be used.
 */
export async function externalTemporal(
  environment: NodeJS.ProcessEnv,
): Promise<ExternalTemporal | undefined> {
  if (!environment['TEMPORAL_ADDRESS'] && !hasProfile(environment)) return undefined;
  // Loaded only here: most starts have a server of their own and need not wait for these modules.
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const { Connection } = await import('@temporalio/client');
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const address = connectionOptions.address ?? environment['TEMPORAL_ADDRESS'];
  if (address === undefined) return undefined;
  try {
    const connection = await Connection.connect({ ...connectionOptions, connectTimeout: CONNECT_MS });
    try {
      await connection.withDeadline(Date.now() + CONNECT_MS, async () => {
        await connection.workflowService.describeNamespace({ namespace });
        await registerSearchAttributes(connection, namespace);
      });
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw new StackProblem(
      `Temporal at ${address}, namespace ${namespace}, cannot be used (${reasonOf(error)}): start it, create the namespace, or unset TEMPORAL_ADDRESS for the embedded one`,
    );
  }
  return { address, namespace };
}

function hasProfile(environment: NodeJS.ProcessEnv): boolean {
  if (environment['TEMPORAL_PROFILE'] || environment['TEMPORAL_CONFIG_FILE']) return true;
  const configHome =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Application Support')
      : environment['APPDATA'] || environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return existsSync(join(configHome, 'temporalio', 'temporal.toml'));
}

async function registerSearchAttributes(
  connection: import('@temporalio/client').Connection,
  namespace: string,
): Promise<void> {
  const { temporal } = (await import('@temporalio/proto')).default;
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (missing.length === 0) return;
  const types = temporal.api.enums.v1.IndexedValueType;
  const wireTypes = {
    Keyword: types.INDEXED_VALUE_TYPE_KEYWORD,
    Int: types.INDEXED_VALUE_TYPE_INT,
    Bool: types.INDEXED_VALUE_TYPE_BOOL,
  };
  const added = Object.fromEntries(missing.map(([name, type]) => [name, wireTypes[type]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: added });
}
