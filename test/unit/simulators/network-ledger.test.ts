import { randomUUID } from 'node:crypto';
import { World } from '../../support/simulators.ts';

const ledgerOf = async (world: World, paymentId: string) => {
  const response = await fetch(`${world.networkUrl}/ledger?paymentId=${paymentId}`);
  return { status: response.status, body: (await response.json()) as { charges?: { attemptId: string }[] } };
};

it('a ledger tells of a payment that another network holds, and of its own alone where it has any', async () => {
  const live = await World.start();
  const sandbox = await World.start({ otherUrl: live.networkUrl });
  try {
    const { session } = await live.pay('4242424242424242');
    const charged = { status: 200, body: { charges: [{ attemptId: `${session.paymentId}:1` }] } };
    expect(await ledgerOf(sandbox, session.paymentId)).toMatchObject(charged);
    // Never the other way round.
    const own = await sandbox.pay('4242424242424242');
    expect((await ledgerOf(sandbox, own.session.paymentId)).body.charges).toHaveLength(1);
    expect((await ledgerOf(live, own.session.paymentId)).body.charges).toEqual([]);
    expect((await ledgerOf(sandbox, randomUUID())).body.charges).toEqual([]);
  } finally {
    await live.stop();
  }
  try {
    expect((await ledgerOf(sandbox, randomUUID())).status).toBe(503);
  } finally {
    await sandbox.stop();
  }
});
