import { uuidv7 } from 'uuidv7';
import { logMissingConnectors } from '../../../src/api/log-missing-connectors.ts';
import { setConnector } from '../../../src/db/merchants/connectors.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { createTestLogger } from '../../support/logger.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { worker: false });
});
afterAll(() => world.close());

/** Returns what a start in production logs about merchants without a connector. */
async function loggedLines(checked: Promise<void> = Promise.resolve()): Promise<unknown[]> {
  const lines: string[] = [];
  await logMissingConnectors(world.database, createTestLogger(lines), checked);
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe('a start in production', () => {
  it('logs how many merchants have a live key and no connector', async () => {
    const line = (merchants: number) => [
      expect.objectContaining({
        merchants,
        msg: 'live payments are refused for merchants without a connector',
      }),
    ];
    expect(await loggedLines()).toEqual(line(0));
    const [one, two, three] = [await world.merchant(), await world.merchant(), await world.merchant()];
    await world.key(one, 'live');
    await world.key(two, 'live');
    await world.key(two, 'live');
    // Its sandbox uses the simulators, which is allowed.
    await world.key(three, 'sandbox');
    expect(await loggedLines()).toEqual(line(2));

    const wanted = { merchantId: two, environment: 'live', newId: uuidv7(), kind: 'stripe' } as const;
    const account = 'acct_1';
    await setConnector(world.database, { ...wanted, account }, () => Buffer.alloc(40), byOperator());
    expect(await loggedLines()).toEqual(line(1));
    await world.database.query('UPDATE api_keys SET revoked_at = now() WHERE merchant_id = $1', [one]);
    expect(await loggedLines()).toEqual(line(0));
  });

  it('logs no such number with a database that must not be used', async () => {
    expect(await loggedLines(Promise.reject(new Error('fsync = off')))).toEqual([]);
  });
});
