import pg from 'pg';
import { Scheduler } from './scheduler.ts';
import { SimulatedConnection } from './simulated-connection.ts';

/** A connection whose server never answers. */
class SilentConnection extends SimulatedConnection {
  abandoned = 0;

  protected override answer(): Promise<never> {
    return new Promise(() => undefined);
  }

  protected override mayFreeze(): boolean {
    return false;
  }

  protected override async abandon(): Promise<void> {
    this.abandoned += 1;
  }
}

it('is closed when a client of the driver ends while a statement has no answer', async () => {
  const connection = new SilentConnection(new Scheduler(1));
  const client = new pg.Client({ connection } as pg.ClientConfig);
  client.on('error', () => undefined);
  await client.connect();
  const asked = client.query('SELECT 1');
  asked.catch(() => undefined);
  await client.end();
  expect(connection.abandoned).toBe(1);
  await expect(asked).rejects.toThrow('Connection terminated');
});
