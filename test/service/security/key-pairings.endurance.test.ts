import { readKeyScopes } from '../../../sdk/cli/src/target.ts';
import type { Role } from '../../../src/domain/members.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { memberWithPassword } from '../../support/member-passwords.ts';
import { type World, createWorld } from '../../support/world.ts';

let world: World;
let merchantId: string;
let owner: DashboardClient;

beforeAll(async () => {
  world = await createWorld({}, { worker: false });
  merchantId = await world.merchant();
  owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
});
afterAll(() => world.close());

const pages = '/dashboard/sandbox/developers/pairings';
const asked = { environment: 'sandbox', scopes: ['payments:read', 'refunds:write'], computer: 'desk-7' };

async function send(path: string, body: object): Promise<{ status: number; data: Record<string, unknown> }> {
  const answer = await fetch(world.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data = {} } = (await answer.json()) as { data?: Record<string, unknown> };
  return { status: answer.status, data };
}

/** Starts a pairing, like a command line. */
async function begin(more: object = {}) {
  const { data } = await send('/pairings', { ...asked, ...more });
  const { pathname, search, searchParams } = new URL(String(data['url']));
  return {
    secret: String(data['secret']),
    code: String(data['code']),
    page: pathname + search,
    id: searchParams.get('pairing') ?? '',
  };
}

const claim = async (secret: string) => (await send('/pairings/claim', { secret })).data;
const member = async (role: Role) => DashboardClient.by(world, await invitationLink(world, merchantId, role));
const isOver = async (client: DashboardClient, page: string) =>
  (await client.get(page)).text.includes('This request is closed');

async function auditOf(id: string): Promise<unknown[]> {
  const { rows } = await world.database.query<{ action: string }>(
    `SELECT action, merchant_id = $2 AS own, after->>'computer' AS computer FROM audit_entries
     WHERE subject_type = 'keyPairing' AND subject_id = $1`,
    [id, merchantId],
  );
  return rows;
}

describe('a command line', () => {
  it('gets one key for one approval, also when it asks twice at once', async () => {
    const { secret, id } = await begin();
    expect(await claim(secret)).toEqual({ status: 'pending' });
    expect((await owner.post(`${pages}/approve`, { pairing: id })).status).toBe(303);
    const claims = await Promise.all([claim(secret), claim(secret), claim(secret)]);
    const approved = claims.filter(({ status }) => status === 'approved');
    expect(approved).toHaveLength(1);
    expect(claims.filter(({ status }) => status === 'over')).toHaveLength(2);
    const apiKey = String(approved[0]?.['apiKey']);
    expect(await readKeyScopes({ baseUrl: world.baseUrl, apiKey })).toEqual(asked.scopes);
    expect(await claim(secret)).toEqual({ status: 'over' });
    const { rows } = await world.database.query(
      `SELECT k.name, e.action, e.actor_kind AS actor FROM api_keys k JOIN audit_entries e ON e.subject_id = k.id
       WHERE k.id = $1 AND k.merchant_id = $2`,
      [apiKey.split('_')[2], merchantId],
    );
    expect(rows).toEqual([{ name: 'Command line on desk-7', action: 'key.created', actor: 'member' }]);
    expect(await auditOf(id)).toEqual([{ action: 'keyPairing.approved', own: true, computer: 'desk-7' }]);
    expect((await owner.get('/dashboard/sandbox/developers')).text).toContain('Command line on desk-7');
    expect(world.logs.join('\n')).not.toContain(secret);
    expect(world.logs.join('\n')).not.toContain(apiKey);
  });

  it('that is refused gets no key, and an approval after that changes nothing', async () => {
    const { secret, id, page } = await begin();
    const refused = await owner.post(`${pages}/refuse`, { pairing: id });
    expect(refused.location).toBe('/dashboard/sandbox/developers?done=pairingRefused');
    expect((await owner.post(`${pages}/approve`, { pairing: id })).status).toBe(409);
    expect(await isOver(owner, page)).toBe(true);
    expect(await claim(secret)).toEqual({ status: 'refused' });
    expect(await claim(secret)).toEqual({ status: 'over' });
    expect(await auditOf(id)).toEqual([{ action: 'keyPairing.refused', own: true, computer: 'desk-7' }]);
  });

  it.each(['before', 'after'])('gets no key when its ten minutes end %s the approval', async (when) => {
    const { secret, id, page } = await begin();
    const approve = () => owner.post(`${pages}/approve`, { pairing: id });
    const expire = () =>
      world.database.query('UPDATE key_pairings SET expires_at = now() WHERE id = $1', [id]);
    const [first, second] = when === 'after' ? [approve, expire] : [expire, approve];
    await first();
    await second();
    expect(await isOver(owner, page)).toBe(true);
    expect(await claim(secret)).toEqual({ status: 'over' });
  });

  it('is of the merchant whose member decides first, and over for every other', async () => {
    const other = await DashboardClient.by(world, await ownerLink(world, await world.merchant()));
    const { secret, id, page } = await begin();
    expect((await other.get(page)).text).toContain('pairing-approve');
    await owner.post(`${pages}/approve`, { pairing: id });
    expect(await isOver(other, page)).toBe(true);
    for (const choice of ['approve', 'refuse']) {
      expect((await other.post(`${pages}/${choice}`, { pairing: id })).status).toBe(409);
    }
    const { apiKey = '' } = await claim(secret);
    const { rows } = await world.database.query('SELECT merchant_id AS of FROM api_keys WHERE id = $1', [
      String(apiKey).split('_')[2],
    ]);
    expect(rows).toEqual([{ of: merchantId }]);
  });

  it('of one environment is over in the other', async () => {
    const { secret, id, page } = await begin({ environment: 'live' });
    expect(await isOver(owner, page.replace('/live/', '/sandbox/'))).toBe(true);
    expect((await owner.post(`${pages}/approve`, { pairing: id })).status).toBe(409);
    const live = await owner.get(page);
    expect(live.text).toContain('This key works with real payments.');
    await owner.post(`${pages.replace('sandbox', 'live')}/approve`, { pairing: id });
    expect(String((await claim(secret))['apiKey'])).toMatch(/^cps_live_/);
  });
});

describe('the member who decides', () => {
  it.each([
    ['developer', ['payments:read', 'refunds:read']],
    ['owner', ['payments:read', 'refunds:write']],
  ] as const)('gives no more than their role: %s', async (role, scopes) => {
    const client = await member(role);
    const { secret, id, page } = await begin();
    const { text } = await client.get(page);
    // The page names the scopes that the role cannot give.
    expect(text.includes('Your role can&#39;t grant') || text.includes("Your role can't grant")).toBe(
      role === 'developer',
    );
    await client.post(`${pages}/approve`, { pairing: id });
    expect(await claim(secret)).toMatchObject({ status: 'approved', scopes });
  });

  it.each(['support', 'readOnly'] as const)('is no one whose role makes no keys: %s', async (role) => {
    const client = await member(role);
    const { secret, id, page } = await begin();
    expect((await client.get(page)).text).not.toContain('pairing-approve');
    expect((await client.post(`${pages}/approve`, { pairing: id })).status).toBe(403);
    expect(await claim(secret)).toEqual({ status: 'pending' });
  });

  it('loses the approval with the role, until the key is fetched', async () => {
    const client = await member('developer');
    const { secret, id } = await begin();
    await client.post(`${pages}/approve`, { pairing: id });
    await world.database.query(
      `UPDATE members SET role = 'readOnly' WHERE id = (SELECT member_id FROM key_pairings WHERE id = $1)`,
      [id],
    );
    expect(await claim(secret)).toEqual({ status: 'refused' });
  });

  it('confirms who they are, as for a key that is made by hand', async () => {
    const { client, merchantId: of } = await memberWithPassword(world);
    await world.database.query(
      `UPDATE member_sessions SET confirmed_at = now() - interval '1 hour' WHERE member_id IN (
         SELECT id FROM members WHERE merchant_id = $1)`,
      [of],
    );
    const { secret, id } = await begin();
    const answer = await client.send(`${pages}/approve`, { pairing: id });
    expect(answer.location).toMatch(/^\/dashboard\/sandbox\/confirm\?/);
    expect(await claim(secret)).toEqual({ status: 'pending' });
  });
});

describe('what anyone may send', () => {
  it('is bounded, and shown as text', async () => {
    const { page } = await begin({ computer: '<img src=x>' });
    expect((await owner.get(page)).text).toContain('&lt;img src=x>');
    for (const wrong of [
      { computer: 'x'.repeat(61) },
      { computer: 'two\nlines' },
      { scopes: [] },
      { scopes: ['everything'] },
      { environment: 'production' },
      { more: true },
    ]) {
      expect([wrong, (await send('/pairings', { ...asked, ...wrong })).status]).toEqual([wrong, 422]);
    }
    expect(await claim('nonsense')).toEqual({ status: 'over' });
  });

  it('is limited by address', async () => {
    const limited = await createWorld(
      { RATE_LIMITS: 'pairing.start=0.001/2,pairing.poll=0.001/3' },
      { worker: false },
    );
    const statuses = async (path: string, body: object, count: number) => {
      const got: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const answer = await fetch(limited.baseUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        got.push(answer.status);
      }
      return got;
    };
    expect(await statuses('/pairings', asked, 3)).toEqual([201, 201, 429]);
    expect(await statuses('/pairings/claim', { secret: 'x' }, 4)).toEqual([200, 200, 200, 429]);
    await limited.close();
  });
});
