import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { neededMigrations } from '../../../src/db/server/checks.ts';
import { openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { refuseNamespace } from '../../../src/worker/old-namespace.ts';
import { moveMigrations } from '../../support/migrations.ts';
import { cloneDatabase } from '../../support/world.ts';

describe('what a version before 0.1.0 left behind', () => {
  it('a database with its schema is refused in one line that names the way out', async () => {
    const url = await cloneDatabase();
    const later = (await neededMigrations()).filter((name) => name >= '0007');
    await moveMigrations(url, 'down', later.length);
    const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    await database.query(
      `WITH merchant AS (INSERT INTO merchants (id, name, status) VALUES ($1, 'shop', 'active') RETURNING id)
       INSERT INTO payments (id, merchant_id, environment, checkout_mode, reference, amount_cents, currency,
         metadata, success_url, cancel_url, offered_methods, locale, checkout_url_sealed, checkout_token_hash,
         vault_id, created_at, expires_at, capture_expires_at)
       SELECT $2, id, 'sandbox', 'custom', 'order', 500, 'USD', '{}', 'https://a.example', 'https://a.example',
         '{card}', 'en', '\\x00', '\\x00', 'cap_1', now(), now(), now() FROM merchant`,
      [randomUUID(), randomUUID()],
    );
    await expect(migrate(url)).rejects.toThrow(/^the database holds payments of a version before.*--fresh/);
    await database.query('DELETE FROM payments');
    await database.end();
    await expect(migrate(url)).resolves.toEqual(later);
  });

  it('a namespace with its schedules is refused in one line that names the way out', async () => {
    const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS'] ?? '' });
    const client = new Client({ connection, namespace: 'default' });
    const prefix = `${randomUUID()}-`;
    try {
      expect(await refuseNamespace(client, 'default', prefix)).toBeNull();
      const schedule = await client.schedule.create({
        scheduleId: `${prefix}after-payment-sweep`,
        spec: { intervals: [{ every: '1 day' }] },
        action: { type: 'startWorkflow', workflowType: 'afterPaymentSweepWorkflow', taskQueue: prefix },
      });
      expect(await refuseNamespace(client, 'default', prefix)).toMatch(/^the Temporal namespace.*--fresh/);
      await schedule.delete();
    } finally {
      await connection.close();
    }
  });
});
