import type { Connection } from '@temporalio/client';
import { readSettings } from '../../../src/runtime/settings.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createTemporalClient } from '../../../src/temporal/connection.ts';
import { createDataConverter } from '../../../src/temporal/data-converter.ts';

it('the client reconnects within two seconds after an outage of any length', async () => {
  const settings = readSettings({ DATABASE_URL: 'postgres://127.0.0.1/none' });
  const client = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    createDataConverter(createKeyring(settings.ENCRYPTION_KEYS)),
  );
  const connection = client.connection as Connection;
  expect(connection.options.channelArgs?.['grpc.max_reconnect_backoff_ms']).toBeLessThanOrEqual(2_000);
  await connection.close();
});
