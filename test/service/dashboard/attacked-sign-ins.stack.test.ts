import { DashboardClient, invitationLink } from '../../support/dashboard.ts';
import { codeOf, memberWithPassword, password } from '../../support/member-passwords.ts';
import { type World, createWorld } from '../../support/world.ts';

const home = '/dashboard/sandbox';
let world: World;
beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.1' }, { worker: false });
});
afterAll(() => world.close());

/** Signs in by password from an address, with this browser or a new one. */
async function signIn(
  login: string,
  given: { password: string; code: string; from: string },
  client = new DashboardClient(world),
) {
  const { text } = await client.get('/dashboard/sign-in');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const { from, ...typed } = given;
  return client.post('/dashboard/sign-in', { to: home, login, ...typed }, csrf, { 'x-forwarded-for': from });
}

const guess = (login: string, from: string) =>
  signIn(login, { password: 'a wrong password', code: '123456', from });

describe('a stranger who knows only the sign-in name', () => {
  it('cannot lock a member out from nine addresses, and the member is warned', async () => {
    const { login, secret, merchantId } = await memberWithPassword(world);
    for (let n = 1; n <= 9; n += 1) expect((await guess(login, `10.0.0.${n}`)).status).toBe(403);
    const client = new DashboardClient(world);
    const own = { password, code: codeOf(secret), from: '10.9.9.9' };
    expect((await signIn(login, own, client)).status).toBe(303);
    expect((await client.get(home)).text).toContain('data-testid="sign-in-warning"');
    const { rows } = await world.database.query(
      `SELECT count(*)::int AS entries FROM audit_entries WHERE merchant_id = $1 AND action = 'signIn.attacked'`,
      [merchantId],
    );
    expect(rows).toEqual([{ entries: 1 }]);
    expect((await client.post(`${home}/team/sign-in-warning`)).status).toBe(303);
    expect((await client.get(home)).text).not.toContain('data-testid="sign-in-warning"');
  });

  it('behind the same address does not slow down a browser that signed in before', async () => {
    const { login, secret, client } = await memberWithPassword(world);
    for (let n = 1; n <= 5; n += 1) await guess(login, '10.0.1.1');
    // The wait that the guesses began outlasts a busy machine.
    await world.database.query("UPDATE member_tries SET try_after = try_after + interval '1 minute'");
    const own = { password, code: codeOf(secret), from: '10.0.1.1' };
    // This browser is as unknown as the stranger's.
    expect((await signIn(login, own)).status).toBe(403);
    const again = new DashboardClient(world);
    again.cookies.set('__Host-dashboard-device', client.cookies.get('__Host-dashboard-device') ?? '');
    expect((await signIn(login, own, again)).status).toBe(303);
  });

  it('does not keep the member from confirming who they are', async () => {
    const { login, secret, client } = await memberWithPassword(world);
    for (let n = 1; n <= 9; n += 1) await guess(login, `10.0.2.${n}`);
    const done = await client.post(`${home}/confirm/password`, { password, code: codeOf(secret), to: home });
    expect(done.location).toBe(`${home}?done=confirmed`);
  });

  it('is forgotten with time', async () => {
    const { login, secret } = await memberWithPassword(world);
    for (let n = 1; n <= 4; n += 1) await guess(login, '10.0.3.1');
    const own = { password, code: codeOf(secret), from: '10.0.3.1' };
    expect((await signIn(login, own)).status).toBe(403);
    await world.database.query(
      `UPDATE member_tries SET tried_at = tried_at - interval '1 hour', try_after = try_after - interval '1 hour'`,
    );
    expect((await guess(login, '10.0.3.1')).status).toBe(403);
    expect((await signIn(login, own)).status).toBe(303);
  });
});

describe('other sessions of a member end', () => {
  /** Signs a member in with two browsers, the second of which must be signed out. */
  async function inTwoBrowsers() {
    const { login, secret, client, merchantId } = await memberWithPassword(world);
    const other = new DashboardClient(world);
    await signIn(login, { password, code: codeOf(secret), from: '10.0.5.1' }, other);
    expect((await other.get(home)).status).toBe(200);
    const { rows } = await world.database.query<{ id: string }>('SELECT id FROM members WHERE login = $1', [
      login.toLowerCase(),
    ]);
    return { client, other, merchantId, memberId: rows[0]?.id ?? '' };
  }

  it('when an owner changes their role', async () => {
    const { client, other, merchantId, memberId } = await inTwoBrowsers();
    const owner = await DashboardClient.by(world, await invitationLink(world, merchantId, 'owner'));
    expect((await owner.post(`${home}/team/${memberId}/role`, { role: 'support' })).status).toBe(303);
    expect((await other.get(home)).status).toBe(303);
    expect((await client.get(home)).status).toBe(303);
    expect((await owner.get(home)).status).toBe(200);
  });

  it('when they remove a passkey, and this one stays', async () => {
    const { client, other, memberId } = await inTwoBrowsers();
    await world.database.query(
      `INSERT INTO member_passkeys (id, member_id, public_key, counter, transports, name, created_at)
       VALUES ('passkey-' || $1::text, $1::uuid, '\\x00', 0, '{}', 'Lost phone', now())`,
      [memberId],
    );
    const removed = await client.post(`${home}/team/passkeys/remove`, { id: `passkey-${memberId}` });
    expect(removed.status).toBe(303);
    expect((await other.get(home)).status).toBe(303);
    expect((await client.get(home)).status).toBe(200);
  });

  it('when the password is changed, with open links, and this one stays', async () => {
    const { login, secret, client } = await memberWithPassword(world);
    const other = new DashboardClient(world);
    await signIn(login, { password, code: codeOf(secret), from: '10.0.4.1' }, other);
    expect((await other.get(home)).status).toBe(200);
    const page = await client.get(`${home}/team/password`);
    const own = /data-testid="totp-secret">([A-Z2-7]+)</.exec(page.text)?.[1] ?? '';
    const changed = { login, password: 'violet harbour 93 pancake', secret: own, code: codeOf(own) };
    expect((await client.post(`${home}/team/password`, changed)).status).toBe(303);
    expect((await other.get(home)).status).toBe(303);
    expect((await client.get(home)).status).toBe(200);
  });
});
