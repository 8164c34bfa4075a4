import { OAuth2Server } from 'oauth2-mock-server';
import { requireIdentityProvider } from '../../../src/db/members/member-identities.ts';
import { setMemberEmail } from '../../../src/db/members/member-emails.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { codeOf, memberWithPassword, password, postSignIn } from '../../support/member-passwords.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
const provider = new OAuth2Server();
/** The provider's claims about the visitor. */
let claims: Record<string, unknown> = {};

beforeAll(async () => {
  await provider.issuer.keys.generate('RS256');
  await provider.start(undefined, '127.0.0.1');
  provider.issuer.url = `http://127.0.0.1:${provider.address().port}`;
  provider.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, claims);
  });
  world = await createWorld(
    {
      OIDC_ISSUER: provider.issuer.url,
      OIDC_CLIENT_ID: 'payments',
      OIDC_CLIENT_SECRET: 'not asked for',
      OIDC_NAME: 'Acme ID',
    },
    { worker: false },
  );
});
afterAll(async () => {
  await world.close();
  await provider.stop();
});

const home = '/dashboard/sandbox';
let serial = 0;

/** Creates a merchant with an owner that has an address. */
async function newOwner(): Promise<{ merchantId: string; memberId: string; email: string }> {
  const merchantId = await world.merchant();
  await ownerLink(world, merchantId);
  const { rows } = await world.database.query<{ id: string }>(
    'SELECT id FROM members WHERE merchant_id = $1',
    [merchantId],
  );
  const memberId = rows[0]?.id ?? '';
  const email = `owner-${(serial += 1)}@shop.example`;
  await setMemberEmail(world.database, merchantId, memberId, email, byOperator());
  return { merchantId, memberId, email };
}

/** Returns a browser that came back from the provider, and the status of the answer. */
async function comeBack(): Promise<{ client: DashboardClient; status: number }> {
  const client = new DashboardClient(world);
  const there = await client.get('/dashboard/sign-in/oidc');
  const back = await fetch(there.location ?? '', { redirect: 'manual' });
  const callback = new URL(back.headers.get('location') ?? '');
  return { client, status: (await client.get(callback.pathname + callback.search)).status };
}

const isIn = async (client: DashboardClient): Promise<boolean> => (await client.get(home)).status === 200;

const require = (merchantId: string, required: boolean) =>
  requireIdentityProvider(world.database, merchantId, required, byOperator());

/** Returns the actions in a merchant's audit log, newest first. */
async function actions(merchantId: string): Promise<string[]> {
  const { rows } = await world.database.query<{ action: string }>(
    'SELECT action FROM audit_entries WHERE merchant_id = $1 ORDER BY sequence DESC',
    [merchantId],
  );
  return rows.map(({ action }) => action);
}

describe('the identity of a member', () => {
  it('is bound by the first sign-in; the same address of another person opens nothing', async () => {
    const { merchantId, memberId, email } = await newOwner();
    const former = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const open = await ownerLink(world, merchantId);
    claims = { sub: 'ada', email, email_verified: true };
    const first = await comeBack();
    expect([first.status, await isIn(first.client)]).toEqual([303, true]);
    expect(await isIn(former)).toBe(false);
    expect((await new DashboardClient(world).get(new URL(open).pathname)).status).toBe(410);
    expect(await actions(merchantId)).toContain('member.identityBound');

    claims = { sub: 'eve', email, email_verified: true };
    const second = await comeBack();
    expect([second.status, await isIn(second.client)]).toEqual([403, false]);
    expect(world.logs.some((line) => line.includes('another identity is bound'))).toBe(true);
    expect(await isIn(first.client)).toBe(true);

    // An owner who sets the address again declares that it belongs to another person now.
    await setMemberEmail(world.database, merchantId, memberId, null, byOperator());
    await setMemberEmail(world.database, merchantId, memberId, email, byOperator());
    expect((await comeBack()).status).toBe(303);
    claims = { sub: 'ada', email, email_verified: true };
    expect((await comeBack()).status).toBe(403);
  });
});

describe('a merchant whose members must use the identity provider', () => {
  it('ends every session at once; only the provider and the operator sign members in', async () => {
    const { merchantId, email } = await newOwner();
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const pending = await invitationLink(world, merchantId, 'support');
    expect(await require(merchantId, true)).toBe('set');
    expect(await isIn(owner)).toBe(false);
    expect((await new DashboardClient(world).get(new URL(pending).pathname)).status).toBe(410);

    claims = { sub: 'ada', email, email_verified: true };
    const { client } = await comeBack();
    expect(await isIn(client)).toBe(true);

    const invited = new DashboardClient(world);
    const invitation = await invitationLink(world, merchantId, 'developer');
    const answer = await invited.get(new URL(invitation).pathname);
    expect(answer.location).toContain('/dashboard/sign-in?');
    expect((await invited.get(answer.location ?? '')).text).toContain(
      'Your team signs in with Acme ID only.',
    );
    expect(await isIn(invited)).toBe(false);
    expect((await client.get(`${home}/team`)).text).toContain('The developer');

    const rescued = await DashboardClient.by(world, await ownerLink(world, merchantId));
    expect(await isIn(rescued)).toBe(true);
    expect(await require(merchantId, false)).toBe('set');
    const free = await DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    expect(await isIn(free)).toBe(true);
    expect((await actions(merchantId)).filter((action) => action === 'merchant.signInChanged')).toHaveLength(
      2,
    );
  });

  it('refuses the right password with its code, and says where to sign in', async () => {
    const { login, secret, merchantId } = await memberWithPassword(world);
    await world.database.query(`UPDATE members SET email = $2 WHERE merchant_id = $1 AND role = 'owner'`, [
      merchantId,
      `owner-${(serial += 1)}@shop.example`,
    ]);
    expect(await require(merchantId, true)).toBe('set');
    const refused = await postSignIn(world, '/dashboard/sign-in', { login, password, code: codeOf(secret) });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Your team signs in with Acme ID only.');
    expect(world.logs.some((line) => line.includes('the identity provider is required'))).toBe(true);
  });

  it('needs an owner whom the provider can sign in', async () => {
    const merchantId = await world.merchant();
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    expect(await require(merchantId, true)).toBe('noOwner');
    expect(await isIn(owner)).toBe(true);
    expect(await require('0197e1f0-0000-7000-8000-000000000000', true)).toBe('unknown');
  });
});
