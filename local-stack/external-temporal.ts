import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StackProblem, reasonOf } from './problem.ts';
import { registerSearchAttributes } from './temporal-namespace.ts';

const CONNECT_MS = 5_000;

export interface ExternalTemporal {
  address: string;
  namespace: string;
}

/**
 * Returns the Temporal server that `TEMPORAL_ADDRESS` or a profile of the Temporal configuration file names,
 * and registers the service's search attributes there. Returns undefined when neither is set. Throws
 * StackProblem when the server cannot be used.
 */
export async function externalTemporal(
  environment: NodeJS.ProcessEnv,
): Promise<ExternalTemporal | undefined> {
  if (!environment['TEMPORAL_ADDRESS'] && !hasProfile(environment)) return undefined;
  // Imported here, because most starts use the embedded server and need not load these modules.
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
