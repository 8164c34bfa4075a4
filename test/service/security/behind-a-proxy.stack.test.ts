import { DashboardClient, ownerLink } from '../../support/dashboard.ts';
import { type World, createWorld } from '../../support/world.ts';

/** Allows two tries at once, and then one in a hundred seconds. */
let world: World;
beforeAll(async () => {
  world = await createWorld({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'failures=0.01/2' });
});
afterAll(() => world.close());

/** Returns the status of a request with a wrong key that came from `from` through the proxy. */
async function wrongKey(from: string): Promise<number> {
  const answer = await fetch(`${world.baseUrl}/v1/payments`, {
    headers: { authorization: 'Bearer cps_sandbox_nobody', 'x-forwarded-for': from },
  });
  await answer.text();
  return answer.status;
}

const tries = async (...from: string[]): Promise<number[]> => {
  const statuses: number[] = [];
  for (const address of from) statuses.push(await wrongKey(address));
  return statuses;
};

it('counts wrong keys for each address behind it, ignoring addresses that a caller adds', async () => {
  expect(await tries('192.0.2.1', '192.0.2.1', '192.0.2.1')).toEqual([401, 401, 429]);
  expect(await tries('198.51.100.9, 192.0.2.1', '192.0.2.1, 192.0.2.2')).toEqual([429, 401]);
});

it('counts a whole IPv6 network as one address', async () => {
  const neighbours = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:0db8:0001:0002::3'];
  expect(await tries(...neighbours)).toEqual([401, 401, 429]);
  expect(await tries('2001:db8:1:3::1')).toEqual([401]);
});

it("does not lock a member out by a stranger's sign-ins", async () => {
  const merchantId = await world.merchant();
  const link = new URL(await ownerLink(world, merchantId)).pathname;
  const stranger = new DashboardClient(world);
  const from = { 'x-forwarded-for': '192.0.2.50' };
  const strange = [];
  for (let tried = 0; tried < 3; tried += 1) {
    strange.push((await stranger.get(`/dashboard/link/${'x'.repeat(43)}`, from)).status);
  }
  expect(strange).toEqual([410, 410, 429]);
  const owner = new DashboardClient(world);
  expect((await owner.get(link, { 'x-forwarded-for': '192.0.2.51' })).status).toBe(303);
  // The address is shown in the audit log and the list of sessions.
  const { rows } = await world.database.query<{ address: string }>(
    `SELECT s.address FROM member_sessions s JOIN members m ON m.id = s.member_id WHERE m.merchant_id = $1`,
    [merchantId],
  );
  expect(rows).toEqual([{ address: '192.0.2.51' }]);
});
