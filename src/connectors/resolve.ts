import { LRUCache } from 'lru-cache';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { type ConnectorRecord, loadConnector } from '../db/merchants/connectors.ts';
import type { Database } from '../db/server/database.ts';
import { type Environment, environments } from '../domain/statuses.ts';
import type { ConnectorOwner, Connectors, ProviderPorts } from '../providers/connectors.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import { type StripeCredentials, parseCredentials } from './credentials.ts';

/** The most connectors whose ports a process keeps, and for how long without use, in ms. */
const keptAtMost = 200;
const idleMs = 60 * 60_000;

export interface ConnectorDeps {
  database: Database;
  keyring: Keyring;
  /** By environment, which share no provider. Null: the environment needs a connector. */
  simulators: Record<Environment, ProviderPorts | null>;
  /** Builds the ports of a real pair; nothing is called. */
  open: (credentials: StripeCredentials) => ProviderPorts;
}

/**
 * Returns the ports by connector. Those of real pairs are kept under the version of their credentials, which
 * is read each time: a rotation is in use with the next call, without a restart.
 */
export function createConnectors({ database, keyring, simulators, open }: ConnectorDeps): Connectors {
  const kept = new LRUCache<string, { version: number; ports: ProviderPorts }>({
    max: keptAtMost,
    ttl: idleMs,
    updateAgeOnGet: true,
    // Calls under way end as they would have.
    dispose: ({ ports }) => void ports.close?.().catch(() => undefined),
  });

  const openRecord = (record: ConnectorRecord): ProviderPorts => {
    const found = kept.get(record.id);
    if (found?.version === record.version) return found.ports;
    const ports = open(openCredentials(keyring, record));
    kept.set(record.id, { version: record.version, ports });
    return ports;
  };

  return {
    simulated: environments.filter((environment) => simulators[environment] !== null),
    portsOf: async ({ connectorId, environment }: ConnectorOwner) => {
      if (connectorId === null) {
        const simulated = simulators[environment];
        if (simulated !== null) return simulated;
        throw new ProviderUnavailable(
          'network',
          false,
          `there is no provider of ${environment} payments here`,
        );
      }
      const record = await loadConnector(database, connectorId);
      if (!record) throw new ProviderUnavailable('network', false, 'the connector is gone');
      try {
        return openRecord(record);
      } catch {
        throw new ProviderUnavailable('network', false, 'the credentials of the connector cannot be read');
      }
    },
  };
}

/** The credentials of a connector, opened. Throws when no key opens them. */
export function openCredentials(
  keyring: Keyring,
  { id, credentialsSealed }: Pick<ConnectorRecord, 'id' | 'credentialsSealed'>,
): StripeCredentials {
  return parseCredentials(keyring.open(credentialsSealed, sealContext.connectorCredentials(id)));
}

/** The credentials of a connector, sealed for its row. */
export function sealCredentials(keyring: Keyring, id: string, credentials: StripeCredentials): Buffer {
  return keyring.seal(JSON.stringify(credentials), sealContext.connectorCredentials(id));
}
