import { LRUCache } from 'lru-cache';
import type { Keyring } from '../crypto/keyring.ts';
import { sealContext } from '../crypto/seal-contexts.ts';
import { type ConnectorRecord, loadConnector } from '../db/merchants/connectors.ts';
import type { Database } from '../db/server/database.ts';
import { type Environment, environments } from '../domain/statuses.ts';
import type { ConnectorOwner, Connectors, ProviderPorts } from '../providers/connectors.ts';
import { providerRequestSeconds } from '../metrics/series.ts';
import { tracing } from '../tracing/spans.ts';
import { ProviderUnavailable } from '../providers/ports.ts';
import { type StripeCredentials, parseCredentials } from './credentials.ts';

/** The most connectors whose ports a process keeps, and how long it keeps unused ones, in ms. */
const maxCached = 200;
const idleMs = 60 * 60_000;

export interface ConnectorDeps {
  database: Database;
  keyring: Keyring;
  /** The simulators by environment; environments share none. Null: the environment needs a connector. */
  simulators: Record<Environment, ProviderPorts | null>;
  /** Builds the ports of a real vault and network. Makes no call. */
  open: (credentials: StripeCredentials) => ProviderPorts;
}

/**
 * Returns the ports by connector. Those of real vaults and networks are kept with the version of their
 * credentials, which is read each time, so that the next call uses rotated credentials without a restart.
 */
export function createConnectors({ database, keyring, open, ...deps }: ConnectorDeps): Connectors {
  const { sandbox, live } = deps.simulators;
  const simulators = { sandbox: sandbox && timed(sandbox), live: live && timed(live) };
  const cached = new LRUCache<string, { version: number; ports: ProviderPorts }>({
    max: maxCached,
    ttl: idleMs,
    updateAgeOnGet: true,
    // Calls in progress are not interrupted.
    dispose: ({ ports }) => void ports.close?.().catch(() => undefined),
  });

  const openRecord = (record: ConnectorRecord): ProviderPorts => {
    const found = cached.get(record.id);
    if (found?.version === record.version) return found.ports;
    const ports = timed(open(openCredentials(keyring, record)));
    cached.set(record.id, { version: record.version, ports });
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

/** The names of each kind's vault and network in metrics. */
const providerNames = {
  simulator: { vault: 'simulated vault', network: 'simulated network' },
  stripe: { vault: 'pci vault', network: 'stripe' },
} as const satisfies Record<ProviderPorts['kind'], { vault: string; network: string }>;

/** The ports that call a provider. */
const callingPorts = {
  vault: 'vault',
  network: 'network',
  refunds: 'network',
  disputes: 'network',
  listings: 'network',
} as const;

/** Returns the ports; the time of each call is measured. */
function timed(ports: ProviderPorts): ProviderPorts {
  return new Proxy(ports, {
    get: (target, name) => {
      const isCalling = (known: PropertyKey): known is keyof typeof callingPorts =>
        Object.hasOwn(callingPorts, known);
      if (!isCalling(name)) return Reflect.get(target, name);
      const port = target[name];
      return port && timedCalls(providerNames[target.kind][callingPorts[name]], port);
    },
  });
}

/** Returns a port whose functions, and those of its parts, are timed under their own names. */
function timedCalls<Port extends object>(provider: string, port: Port): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'object' && value !== null) return timedCalls(provider, value);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]): Promise<unknown> => {
        const operation = String(name);
        const end = providerRequestSeconds.startTimer({ provider, operation });
        try {
          const span = { kind: 'client', attributes: { provider, operation } } as const;
          const call = async (): Promise<unknown> => Reflect.apply(value, target, given);
          const { spans } = tracing;
          const answer = await (spans ? spans.inSpan(`${provider} ${operation}`, span, call) : call());
          end({ outcome: 'answered' });
          return answer;
        } catch (error) {
          end({ outcome: 'unavailable' });
          throw error;
        }
      };
    },
  });
}

/** Returns the credentials of a connector, decrypted. Throws when no key opens them. */
export function openCredentials(
  keyring: Keyring,
  { id, credentialsSealed }: Pick<ConnectorRecord, 'id' | 'credentialsSealed'>,
): StripeCredentials {
  return parseCredentials(keyring.open(credentialsSealed, sealContext.connectorCredentials(id)));
}

/** Returns the credentials of a connector, sealed for its row. */
export function sealCredentials(keyring: Keyring, id: string, credentials: StripeCredentials): Buffer {
  return keyring.seal(JSON.stringify(credentials), sealContext.connectorCredentials(id));
}
