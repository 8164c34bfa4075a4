import { once } from 'node:events';
import { createServer } from 'node:http';
import { OAuth2Server } from 'oauth2-mock-server';
import { setMemberEmail } from '../../../src/db/members/member-emails.ts';
import { changeMember } from '../../../src/db/members/members.ts';
import { texts } from '../../../src/dashboard/texts/en.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { DashboardClient, invitationLink, ownerLink, type PageAnswer } from '../../support/dashboard.ts';
import { freePorts } from '../../support/free-ports.ts';
import { type World, createWorld } from '../../support/world.ts';

const clientSecret = 'a secret of the identity provider, 53a1';
let world: World;
let provider: OAuth2Server;
let port: number;

/** The provider's answers about the visitor, and the requests that it receives. */
let claims: Record<string, unknown>;
let userinfo: Record<string, unknown>;
let tokenStatus: number;
const asked: { authorization: string | undefined; body: Record<string, unknown> }[] = [];

async function startProvider(): Promise<void> {
  provider = new OAuth2Server();
  provider.issuer.url = `http://127.0.0.1:${port}`;
  await provider.issuer.keys.generate('RS256');
  provider.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, claims);
  });
  provider.service.on('beforeUserinfo', (answer: { body: Record<string, unknown> }) => {
    Object.assign(answer.body, userinfo);
  });
  provider.service.on(
    'beforeResponse',
    (
      answer: { statusCode: number },
      request: { headers: { authorization?: string }; body: Record<string, unknown> },
    ) => {
      asked.push({ authorization: request.headers.authorization, body: request.body });
      answer.statusCode = tokenStatus;
    },
  );
  await provider.start(port, '127.0.0.1');
}

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  world = await createWorld(
    {
      OIDC_ISSUER: `http://127.0.0.1:${port}`,
      OIDC_CLIENT_ID: 'cardpayments',
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: 'Acme ID',
    },
    { worker: false },
  );
});
afterAll(async () => {
  await world.close();
  if (provider.listening) await provider.stop();
});
beforeEach(() => {
  claims = {};
  userinfo = {};
  tokenStatus = 200;
});

const begin = '/dashboard/sign-in/oidc';
const home = '/dashboard/sandbox';
let serial = 0;

/** A member with an address of their own. */
async function newMember(): Promise<{ merchantId: string; memberId: string; email: string }> {
  const merchantId = await world.merchant();
  await ownerLink(world, merchantId);
  const { rows } = await world.database.query<{ id: string }>(
    'SELECT id FROM members WHERE merchant_id = $1',
    [merchantId],
  );
  const memberId = rows[0]?.id ?? '';
  const email = `member-${(serial += 1)}@shop.example`;
  expect(await setMemberEmail(world.database, merchantId, memberId, email, byOperator())).toBe('set');
  return { merchantId, memberId, email };
}

/** Visits the provider and returns with its answer, which a test may change on the way. */
async function comeBack(
  client: DashboardClient,
  path = begin,
  forge: (callback: URL) => void = () => undefined,
): Promise<PageAnswer> {
  const there = await client.get(path);
  expect(there.status).toBe(303);
  const back = await fetch(there.location ?? '', { redirect: 'manual' });
  const callback = new URL(back.headers.get('location') ?? '');
  expect(callback.origin).toBe(world.baseUrl.replace('127.0.0.1', 'localhost'));
  forge(callback);
  return client.get(callback.pathname + callback.search);
}

const isIn = async (client: DashboardClient): Promise<boolean> => (await client.get(home)).status === 200;
const sessionsOf = async (merchantId: string): Promise<number> => {
  const { rows } = await world.database.query(
    'SELECT FROM member_sessions s JOIN members m ON m.id = s.member_id WHERE m.merchant_id = $1',
    [merchantId],
  );
  return rows.length;
};

it('explains that the provider does not answer, and works again once it does', async () => {
  const client = new DashboardClient(world);
  expect((await client.get('/dashboard/sign-in')).text).toContain('Sign in with Acme ID');
  const away = await client.get(begin);
  expect(away.status).toBe(503);
  expect(away.text).toContain(texts.signIn.providerUnavailableTitle);
  // A provider that accepts the call and never answers must not block the visitor either.
  const silent = createServer(() => undefined).listen(port, '127.0.0.1');
  await once(silent, 'listening');
  expect((await client.get(begin)).status).toBe(503);
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
  await startProvider();
  expect((await client.get(begin)).status).toBe(303);
});

describe('a visitor who returns from the provider', () => {
  it('is signed in as the member of the verified address, by code, PKCE, state and nonce', async () => {
    const { merchantId, email } = await newMember();
    claims = { email: email.toUpperCase(), email_verified: true };
    const client = new DashboardClient(world);
    const there = await client.get(`${begin}?to=/dashboard/sandbox/payments`);
    const url = new URL(there.location ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'cardpayments',
      scope: 'openid email',
      code_challenge_method: 'S256',
      redirect_uri: `${world.baseUrl.replace('127.0.0.1', 'localhost')}/dashboard/sign-in/oidc/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(url.searchParams.get(name)).toMatch(/^[\w-]{43}$/);
    }
    const back = await fetch(url, { redirect: 'manual' });
    const callback = new URL(back.headers.get('location') ?? '');
    const answer = await client.get(callback.pathname + callback.search);
    expect([answer.status, answer.location]).toEqual([303, '/dashboard/sandbox/payments']);
    expect(await isIn(client)).toBe(true);
    expect(asked.at(-1)?.authorization).toMatch(/^Basic /);
    expect(asked.at(-1)?.body['code_verifier']).toMatch(/^[\w-]{43,128}$/);

    const { rows } = await world.database.query<{ action: string; after: unknown }>(
      `SELECT action, after FROM audit_entries WHERE merchant_id = $1 ORDER BY sequence DESC LIMIT 1`,
      [merchantId],
    );
    expect(rows).toEqual([
      { action: 'session.started', after: { means: 'identityProvider', userAgent: expect.any(String) } },
    ]);
    const logs = world.logs.join('\n');
    for (const secret of [clientSecret, email, callback.searchParams.get('code') ?? '?']) {
      expect(logs).not.toContain(secret);
    }
  });

  it("may be identified by the provider's userinfo endpoint", async () => {
    const { email } = await newMember();
    userinfo = { email, email_verified: true };
    const client = new DashboardClient(world);
    expect((await comeBack(client)).status).toBe(303);
    expect(await isIn(client)).toBe(true);
    userinfo = { email, email_verified: true, sub: 'another subject' };
    expect((await comeBack(new DashboardClient(world))).status).toBe(403);
  });

  it('gets a new session, and the previous one of the browser ends', async () => {
    const { email, merchantId } = await newMember();
    claims = { email, email_verified: true };
    const client = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const former = client.cookies.get('__Host-dashboard') ?? '';
    await comeBack(client);
    expect(client.cookies.get('__Host-dashboard')).not.toBe(former);
    const kept = new DashboardClient(world);
    kept.cookies.set('__Host-dashboard', former);
    expect(await isIn(kept)).toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a forged nonce', { nonce: 'forged' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://accounts.evil.example' }],
    ['another audience', { aud: 'another service' }],
    ['a token of an hour ago', { exp: Math.floor(Date.now() / 1000) - 3_600 }],
    ['an address that is not verified', { email_verified: false }],
    ['an address verified by a text', { email_verified: 'true' }],
    ['no word on the address', { email_verified: undefined }],
    ['no address', { email: undefined }],
    ['an address that is none', { email: ['x@shop.example'] }],
  ])('is refused with %s', async (_what, wrong) => {
    const { merchantId, email } = await newMember();
    claims = { email, email_verified: true, ...wrong };
    const client = new DashboardClient(world);
    const answer = await comeBack(client);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(texts.signIn.rejectedTitle);
    expect(answer.text).not.toContain(email);
    expect(await isIn(client)).toBe(false);
    expect(await sessionsOf(merchantId)).toBe(0);
  });

  it.each<[string, (callback: URL) => void]>([
    ['a forged state', ({ searchParams }) => searchParams.set('state', 'forged')],
    ['no state', ({ searchParams }) => searchParams.delete('state')],
    ['two states', ({ searchParams }) => searchParams.append('state', searchParams.get('state') ?? '')],
    ['a forged code', ({ searchParams }) => searchParams.set('code', 'forged')],
    ['no code', ({ searchParams }) => searchParams.delete('code')],
    [
      'the answer that the visitor declined',
      ({ searchParams }) => {
        searchParams.delete('code');
        searchParams.set('error', 'access_denied');
      },
    ],
  ])('is refused with %s', async (_what, forge) => {
    const { merchantId, email } = await newMember();
    claims = { email, email_verified: true };
    const client = new DashboardClient(world);
    expect((await comeBack(client, begin, forge)).status).toBe(403);
    expect(await sessionsOf(merchantId)).toBe(0);
  });

  it('is refused in another browser, a second time, and without a sign-in that began here', async () => {
    const { merchantId, email } = await newMember();
    claims = { email, email_verified: true };
    const [victim, attacker] = [new DashboardClient(world), new DashboardClient(world)];
    const there = await attacker.get(begin);
    const back = await fetch(there.location ?? '', { redirect: 'manual' });
    const callback = new URL(back.headers.get('location') ?? '');
    const path = callback.pathname + callback.search;
    expect((await victim.get(path)).status).toBe(403);
    await victim.get(begin);
    expect((await victim.get(path)).status).toBe(403);
    victim.cookies.set('__Host-dashboard-oidc', 'A'.repeat(200));
    expect((await victim.get(path)).status).toBe(403);
    expect(await sessionsOf(merchantId)).toBe(0);
    const kept = attacker.cookies.get('__Host-dashboard-oidc') ?? '';
    expect((await attacker.get(path)).status).toBe(303);
    attacker.cookies.set('__Host-dashboard-oidc', kept);
    expect((await attacker.get(path)).status).toBe(403);
    expect(await sessionsOf(merchantId)).toBe(1);
  });

  it('is refused where no member has the address, the member was removed, or the address was removed', async () => {
    const { merchantId, memberId, email } = await newMember();
    const count = async (): Promise<number> =>
      (await world.database.query('SELECT FROM members')).rows.length;
    const before = await count();
    const refused = async (): Promise<void> => {
      const answer = await comeBack(new DashboardClient(world));
      expect(answer.status).toBe(403);
      expect(answer.text).toContain(texts.signIn.unknownTitle);
    };
    claims = { email: 'stranger@shop.example', email_verified: true };
    await refused();
    // Two different addresses that look the same.
    claims = { email: email.replace('e', 'е'), email_verified: true };
    await refused();
    claims = { email, email_verified: true };
    await setMemberEmail(world.database, merchantId, memberId, null, byOperator());
    await refused();
    await setMemberEmail(world.database, merchantId, memberId, email, byOperator());
    await invitationLink(world, merchantId, 'owner');
    const second = await DashboardClient.by(world, await invitationLink(world, merchantId, 'owner'));
    expect(await isIn(second)).toBe(true);
    await changeMember(world.database, merchantId, memberId, null, byOperator());
    await refused();
    expect(await count()).toBe(before + 1);
    const logged = world.logs.filter((line) => line.includes('no member has the address'));
    expect(logged).toHaveLength(4);
    const hashes = logged.map((line) => (JSON.parse(line) as { nameHash: string }).nameHash);
    expect(new Set(hashes).size).toBe(3);
    expect(logged.join()).not.toMatch(/@|stranger/);
  });

  it('gets an explanation when the provider does not answer meanwhile', async () => {
    const { email } = await newMember();
    claims = { email, email_verified: true };
    tokenStatus = 502;
    const answer = await comeBack(new DashboardClient(world));
    expect(answer.status).toBe(503);
    expect(answer.text).toContain(texts.signIn.providerUnavailableTitle);
  });
});

it('chooses one of the own merchants, and no other, when there are several', async () => {
  const [one, two, third] = [await newMember(), await newMember(), await newMember()];
  await setMemberEmail(world.database, two.merchantId, two.memberId, one.email, byOperator());
  claims = { email: one.email, email_verified: true };
  const choose = '/dashboard/sign-in/oidc/choose';
  const client = new DashboardClient(world);
  const page = await comeBack(client, `${begin}?to=/dashboard/live/team`);
  expect(page.status).toBe(200);
  const token = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const offered = [...page.text.matchAll(/name="member" value="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(offered)).toEqual(new Set([one.memberId, two.memberId]));
  const kept = client.cookies.get('__Host-dashboard-oidc') ?? '';
  expect((await client.post(choose, { member: two.memberId }, null)).status).toBe(403);
  expect((await client.post(choose, { member: third.memberId }, token)).status).toBe(403);
  client.cookies.set('__Host-dashboard-oidc', kept);
  const chosen = await client.post(choose, { member: two.memberId }, token);
  expect([chosen.status, chosen.location]).toEqual([303, '/dashboard/live/team']);
  expect(await sessionsOf(one.merchantId)).toBe(0);
  expect(await sessionsOf(two.merchantId)).toBe(1);
  // A signed-in member stays at their current merchant.
  expect((await comeBack(client)).status).toBe(303);
  expect(await sessionsOf(one.merchantId)).toBe(0);
});

describe('a page that requires a recent sign-in', () => {
  const change = (client: DashboardClient): Promise<PageAnswer> =>
    client.post(`${home}/settings/custom-actions`, { on: 'on' });

  it('requires a confirmation after a single sign-on without a prompt, and accepts one that just happened', async () => {
    const { email } = await newMember();
    claims = { email, email_verified: true };
    const client = new DashboardClient(world);
    await comeBack(client);
    const sent = await change(client);
    expect(sent.location).toMatch(/^\/dashboard\/sandbox\/confirm\?to=/);
    const confirm = await client.get(sent.location ?? '');
    const again = /href="(\/dashboard\/sign-in\/oidc\?again=1[^"]*)"/.exec(confirm.text)?.[1] ?? '';
    const path = again.replaceAll('&amp;', '&');
    const there = new URL((await client.get(path)).location ?? '');
    expect([there.searchParams.get('prompt'), there.searchParams.get('max_age')]).toEqual(['login', '0']);

    // A provider that returns no time of the sign-in, or an old one, did not prompt the visitor.
    for (const auth_time of [undefined, Math.floor(Date.now() / 1000) - 600]) {
      claims = { email, email_verified: true, auth_time };
      expect((await comeBack(client, path)).status).toBe(403);
      expect((await change(client)).location).toContain('/confirm?to=');
    }
    claims = { email, email_verified: true, auth_time: Math.floor(Date.now() / 1000) };
    expect((await comeBack(client, path)).location).toContain('done=confirmed');
    expect((await change(client)).location).toContain('done=settingsSaved');
  });
});

describe('the address of a member', () => {
  it('is set by owners only, for one member of a merchant, and recorded', async () => {
    const merchantId = await world.merchant();
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const support = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    const { rows } = await world.database.query<{ id: string; role: string }>(
      'SELECT id, role FROM members WHERE merchant_id = $1',
      [merchantId],
    );
    const idOf = (role: string): string => rows.find((row) => row.role === role)?.id ?? '';
    const give = (client: DashboardClient, role: string, email: string) =>
      client.post(`${home}/team/${idOf(role)}/email`, { email });
    const email = `Owner-${merchantId}@Shop.example`;
    expect((await give(support, 'support', email)).status).toBe(403);
    expect((await give(owner, 'owner', email)).location).toContain('done=emailChanged');
    expect((await give(owner, 'support', email.toLowerCase())).status).toBe(409);
    for (const wrong of ['no-address', 'a@b@c', 'bäcker@shop.example', `${'x'.repeat(80)}@shop.example`]) {
      expect((await give(owner, 'support', wrong)).status).toBe(422);
    }
    const page = await owner.get(`${home}/team`);
    expect(page.text).toContain(email.toLowerCase());
    expect(page.text).toContain('E-mail address changed');
    expect((await give(owner, 'owner', '')).location).toContain('done=emailChanged');
  });

  it('is set by an invitation', async () => {
    const merchantId = await world.merchant();
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const email = `invited-${merchantId}@shop.example`;
    const made = await owner.post(`${home}/team/invitations`, { name: 'New', role: 'support', email });
    const shown = await owner.follow(made);
    const link = /data-testid="invitation">([^<]+)</.exec(shown.text)?.[1] ?? '';
    await DashboardClient.by(world, link);
    claims = { email, email_verified: true };
    const client = new DashboardClient(world);
    expect((await comeBack(client)).status).toBe(303);
    expect(await isIn(client)).toBe(true);
  });
});

it('an open invitation is canceled: its link stops working, and the audit log names who did it', async () => {
  const merchantId = await world.merchant();
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const invite = async (): Promise<string> => {
    const made = await owner.post(`${home}/team/invitations`, { name: 'Newcomer', role: 'owner', email: '' });
    const { text } = await owner.follow(made);
    return new URL(/data-testid="invitation">([^<]+)</.exec(text)?.[1] ?? '').pathname;
  };
  const link = await invite();
  const list = await owner.get(`${home}/team`);
  const question = /href="([^"]+ask=cancel-invitation[^"#]+)/.exec(list.text)?.[1] ?? '';
  const { text } = await owner.get(question.replaceAll('&amp;', '&'));
  const cancel = /action="([^"]+\/cancel)"/.exec(text)?.[1] ?? '';
  expect((await owner.post(cancel)).location).toContain('done=invitationCanceled');
  expect((await new DashboardClient(world).get(link)).status).toBe(410);
  expect((await owner.get(`${home}/team`)).text).toContain('Invitation canceled');
  expect((await owner.post(cancel)).status).toBe(404);
  // A used invitation cannot be used again.
  const followed = await invite();
  const open = /action="([^"]+\/cancel)"/.exec((await owner.get(`${home}/team`)).text)?.[1] ?? '';
  expect((await new DashboardClient(world).get(followed)).status).toBe(303);
  expect((await owner.post(open)).status).toBe(404);
});
