import { open, readAnswers } from '../../fuzz/connection.ts';
import { memberWithPassword } from '../../support/member-passwords.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld(
    { RATE_LIMITS: 'sandbox.all=1000,session.write=0.001/4,member.write=0.001/7' },
    { worker: false },
  );
});
afterAll(() => world.close());

/** Sends lines unchanged. Returns the status and the body of the answer. */
async function raw(...lines: string[]): Promise<{ status: number | undefined; body: string }> {
  const socket = await open(world.baseUrl);
  socket.write([...lines, '', ''].join('\r\n'));
  const [answer] = await readAnswers(socket, 1);
  socket.destroy();
  return { status: answer?.status, body: answer?.body ?? '' };
}

describe('a request', () => {
  it.each(['/v1/openapi.json', '/v1/payments', '/dashboard/sign-in', '/nowhere'])(
    'without a host, or with two, is malformed: %s',
    async (path) => {
      const get = `GET ${path} HTTP/1.1`;
      for (const hosts of [[], ['Host: a', 'Host: a'], ['Host: a', 'host: evil.example']]) {
        const { status, body } = await raw(get, ...hosts);
        expect({ hosts, status }).toEqual({ hosts, status: 400 });
        expect(body).toMatch(/invalid_request|<!doctype html>/);
      }
      expect((await raw(get, 'Host: a')).status).not.toBe(400);
    },
  );
});

describe('a signed-in browser', () => {
  it('sends no more forms than its own bucket and its member’s hold, and still reads', async () => {
    const { client, merchantId } = await memberWithPassword(world);
    const confirm = () => client.get('/dashboard/sandbox/confirm/options');
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) statuses.push((await confirm()).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4);
    expect(statuses.at(-1)).toBe(429);
    expect((await client.get('/dashboard/sandbox')).status).toBe(200);
    const { rows } = await world.database.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM passkey_challenges c JOIN members m ON m.id = c.member_id
       WHERE m.merchant_id = $1`,
      [merchantId],
    );
    expect(rows[0]?.open).toBeLessThanOrEqual(1);
    // Another member's browser has its own buckets.
    const other = await memberWithPassword(world);
    expect((await other.client.get('/dashboard/sandbox/confirm/options')).status).toBe(200);
  });
});
