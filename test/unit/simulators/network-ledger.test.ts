import { randomUUID } from 'node:crypto';
import { World } from '../../support/simulators.ts';

const ledgerOf = async (world: World, paymentId: string) => {
  const response = await fetch(`${world.networkUrl}/ledger?paymentId=${paymentId}`);
  return { status: response.status, body: (await response.json()) as { charges?: { attemptId: string }[] } };
};

let live: World;
let sandbox: World;
beforeEach(async () => {
  live = await World.start();
  sandbox = await World.start({ otherUrl: live.networkUrl });
});
afterEach(async () => {
  await sandbox.stop();
  await live.stop();
});

it('a ledger shows a payment that another network holds', async () => {
  const { session } = await live.pay('4242424242424242');
  const { status, body } = await ledgerOf(sandbox, session.paymentId);
  expect(status).toBe(200);
  expect(body.charges?.map(({ attemptId }) => attemptId)).toEqual([`${session.paymentId}-1`]);
  expect((await ledgerOf(sandbox, randomUUID())).body.charges).toEqual([]);
});

it('the other network shows nothing of this one', async () => {
  const { session } = await sandbox.pay('4242424242424242');
  expect((await ledgerOf(sandbox, session.paymentId)).body.charges).toHaveLength(1);
  expect((await ledgerOf(live, session.paymentId)).body.charges).toEqual([]);
});

it('an unknown payment is not reported as unpaid while the other network does not answer', async () => {
  await live.network.close();
  expect((await ledgerOf(sandbox, randomUUID())).status).toBe(503);
  await live.restartNetwork();
});
