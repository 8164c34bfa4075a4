import { createConnectors, sealCredentials } from '../../../src/connectors/resolve.ts';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import type { ConnectorRecord } from '../../../src/db/merchants/connectors.ts';
import type { ProviderPorts } from '../../../src/providers/connectors.ts';
import { fakeCredentials } from '../../support/stripe-credentials.ts';
import { databaseOf, partial } from '../../support/partial.ts';

const keyring = createKeyring(developmentEncryptionKeys);
const maxKept = 200;

/** Returns a store in which every id is a connector; `versions` are those of rotated ones. */
function openConnectors() {
  const opened: string[] = [];
  const closed: string[] = [];
  const versions = new Map<string, number>();
  const recordOf = (id: string): Partial<ConnectorRecord> => ({
    id,
    version: versions.get(id) ?? 1,
    credentialsSealed: sealCredentials(keyring, id, { ...fakeCredentials, secretKey: id }),
  });
  const connectors = createConnectors({
    database: databaseOf(async (_text, [id]) => ({ rows: [recordOf(String(id))] })),
    keyring,
    simulators: { sandbox: null, live: null },
    open: ({ secretKey }) => {
      opened.push(secretKey);
      return partial<ProviderPorts>({ close: async () => void closed.push(secretKey) });
    },
  });
  const use = (connectorId: string) => connectors.portsOf({ connectorId, environment: 'live' });
  return { opened, closed, versions, use };
}

it('closes the ports that were used longest ago, and no others, when one connector more is used', async () => {
  const { opened, closed, use } = openConnectors();
  for (let index = 0; index < maxKept; index += 1) await use(`connector ${index}`);
  await use('connector 0');
  expect(closed).toEqual([]);
  await use('one more');
  expect(closed).toEqual(['connector 1']);
  expect(opened).toHaveLength(maxKept + 1);
  await use('connector 0');
  expect(opened).toHaveLength(maxKept + 1);
});

it('opens the ports of rotated credentials with the next call, and closes the earlier ones', async () => {
  const { opened, closed, versions, use } = openConnectors();
  const before = await use('a');
  expect(await use('a')).toBe(before);
  versions.set('a', 2);
  expect(await use('a')).not.toBe(before);
  expect([opened, closed]).toEqual([['a', 'a'], ['a']]);
});
