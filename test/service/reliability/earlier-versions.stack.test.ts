import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { openDatabase } from '../../../src/db/server/database.ts';
import { migrate } from '../../../src/db/server/migrate.ts';
import { refuseNamespace } from '../../../src/worker/old-namespace.ts';
import { cloneDatabase } from '../../support/world.ts';

describe('the data of a version before 0.1.0', () => {
  it('in the database is refused in one line that names the fix', async () => {
    const url = await cloneDatabase();
    const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    await expect(migrate(url)).resolves.toEqual([]);
    await database.query(`UPDATE schema_migrations SET name = '0001_payments' WHERE name = '0001_tenants'`);
    await database.end();
    await expect(migrate(url)).rejects.toThrow(/^the database has the schema of a version before.*--fresh/);
  });

  it('in the namespace is refused in one line that names the fix', async () => {
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
