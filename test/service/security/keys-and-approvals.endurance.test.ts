import { newKey } from '../../../src/crypto/api-key.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { insertKey, listKeys } from '../../../src/db/merchants/merchant-keys.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { createWorld, type World } from '../../support/world.ts';

const home = '/dashboard/sandbox';
let world: World;
beforeAll(async () => {
  world = await createWorld({ RATE_LIMITS: 'off' });
});
afterAll(() => world.close());

/** Creates a key in the dashboard. Returns its text, or null. */
async function makeKey(client: DashboardClient, fields: Record<string, string> = {}): Promise<string | null> {
  const answer = await client.post(`${home}/developers/keys`, { name: 'a key', ...fields });
  const { text } = answer.status === 303 ? await client.follow(answer) : answer;
  return /cps_sandbox_\w+/.exec(/data-testid="api-key"[^]*/.exec(text)?.[0] ?? '')?.[0] ?? null;
}

it('a developer makes and rolls no key that refunds, and an owner does', async () => {
  const merchantId = await world.merchant({ sandbox: { customMode: true } });
  const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
  const developer = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  const id = await paidPayment(shop);
  const made = (await makeKey(developer)) ?? '';
  expect((await refund(new Shop(world.baseUrl, made), id)).body.error?.code).toBe('insufficient_scope');
  expect(await makeKey(developer, { scopes: 'refunds:write' })).toBeNull();
  const full = (await makeKey(owner)) ?? '';
  const fullId = full.split('_')[2] ?? '';
  expect((await developer.post(`${home}/developers/keys/${fullId}/roll`)).status).toBe(403);
  expect((await owner.post(`${home}/developers/keys/${fullId}/roll`)).status).toBe(303);
  expect((await refund(new Shop(world.baseUrl, full), id)).status).toBe(201);
});

it('a key that is bound to addresses is refused from others, and lists from where it was used', async () => {
  const merchantId = await world.merchant();
  const keyring = createKeyring(world.settings.ENCRYPTION_KEYS, world.settings.LOOKUP_KEYS);
  const bound = async (allowFrom: string[]): Promise<Shop> => {
    const { text, stored } = newKey(keyring, 'sandbox');
    const key = { ...stored, merchantId, environment: 'sandbox' as const, name: allowFrom.join(), allowFrom };
    await insertKey(world.database, { ...key, methods: null, embeddingOrigins: null }, byOperator());
    return new Shop(world.baseUrl, text);
  };
  const inside = await bound(['10.0.0.0/8', '127.0.0.0/8']);
  const outside = await bound(['10.0.0.0/8', '::1']);
  expect((await inside.call('GET', '/v1/payments')).status).toBe(200);
  const refused = await outside.call('GET', '/v1/payments');
  expect([refused.status, refused.body.error?.code]).toEqual([403, 'address_not_allowed']);
  const used = await eventually(async () => {
    const keys = await listKeys(world.database, { merchantId, environment: 'sandbox' }, 10);
    return keys.find(({ name, lastUsedFrom }) => name.includes('127') && lastUsedFrom !== null);
  });
  expect(used.lastUsedFrom).toBe('127.0.0.1');
});

describe('refunds in the dashboard', () => {
  /** Creates a merchant whose members refund payments of 25.00. */
  async function open(refundApprovalCents: number | null) {
    const merchantId = await world.merchant({ sandbox: { customMode: true, refundApprovalCents } });
    const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
    const member = async () => DashboardClient.by(world, await invitationLink(world, merchantId, 'support'));
    return { merchantId, shop, asker: await member(), other: await member() };
  }
  const give = (by: DashboardClient, id: string, amount: string) =>
    by.post(`${home}/payments/${id}/refunds`, { amount });
  const approve = (by: DashboardClient, id: string, approval: string) =>
    by.post(`${home}/payments/${id}/refunds/approve`, { approval });
  const refundsOf = async (shop: Shop, id: string) =>
    (await shop.call('GET', `/v1/payments/${id}/refunds`)).body.data;
  const approvalOn = async (by: DashboardClient, id: string): Promise<string> =>
    /name="approval" value="([^"]+)"/.exec((await by.get(`${home}/payments/${id}`)).text)?.[1] ?? '';

  it('wait for a second member from the limit on, also when they are split', async () => {
    const { merchantId, shop, asker, other } = await open(1_000);
    const id = await paidPayment(shop);
    expect((await give(asker, id, '6.00')).location).toContain('done=refunded');
    // 6.00 and 4.00 together reach the limit.
    expect((await give(asker, id, '4.00')).location).toContain('done=approvalAsked');
    expect(await refundsOf(shop, id)).toHaveLength(1);
    const approval = await approvalOn(other, id);
    expect((await approve(asker, id, approval)).status).toBe(403);
    expect((await approve(other, id, approval)).location).toContain('done=refunded');
    expect((await approve(other, id, approval)).status).toBe(409);
    expect(await refundsOf(shop, id)).toHaveLength(2);
    const { rows } = await world.database.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE merchant_id = $1 AND action LIKE 'refund.approv%' ORDER BY sequence`,
      [merchantId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'refund.approvalAsked',
      'refund.approvalRefused',
      'refund.approved',
    ]);
  });

  it('wait from the sum that an owner sets in the dashboard; other roles may not set it', async () => {
    const { merchantId, shop, asker } = await open(null);
    const owner = await DashboardClient.by(world, await ownerLink(world, merchantId));
    const developer = await DashboardClient.by(world, await invitationLink(world, merchantId, 'developer'));
    const set = (by: DashboardClient, refundApproval: string) =>
      by.post(`${home}/settings/refund-approval`, { refundApproval });
    expect((await set(developer, '1.00')).status).toBe(403);
    for (const wrong of ['-1', 'ten', '1.234']) {
      expect((await set(owner, wrong)).text).toContain('Enter an amount such as 500.00');
    }
    expect((await set(owner, '6.00')).status).toBe(303);
    expect((await owner.get(`${home}/settings`)).text).toContain('value="6.00"');
    const id = await paidPayment(shop);
    expect((await give(asker, id, '6.00')).location).toContain('done=approvalAsked');
    expect((await set(owner, '')).status).toBe(303);
    expect((await give(asker, id, '7.00')).location).toContain('done=refunded');
  });

  it('split at once do not pass together', async () => {
    const { shop, asker } = await open(1_000);
    const ids = await Promise.all(Array.from({ length: 4 }, () => paidPayment(shop)));
    const answers = await Promise.all(ids.map((id) => give(asker, id, '4.00')));
    expect(answers.filter(({ location }) => location?.includes('done=refunded'))).toHaveLength(2);
  });

  it('are not made with an approval that expired', async () => {
    const { shop, asker, other } = await open(0);
    const id = await paidPayment(shop);
    await give(asker, id, '5.00');
    const approval = await approvalOn(other, id);
    await world.database.query(
      `UPDATE refund_approvals SET expires_at = now() - interval '1 s' WHERE id = $1`,
      [approval],
    );
    expect((await approve(other, id, approval)).status).toBe(409);
    expect(await refundsOf(shop, id)).toHaveLength(0);
  });

  it('ask who the member is once their sum of a day is large', async () => {
    const { merchantId, shop, asker } = await open(null);
    const ids = await Promise.all(
      Array.from({ length: 4 }, () => paidPayment(shop, undefined, { amountCents: 90_000 })),
    );
    await world.database.query(
      `UPDATE member_sessions s SET confirmed_at = confirmed_at - interval '1 hour'
       FROM members m WHERE m.id = s.member_id AND m.merchant_id = $1`,
      [merchantId],
    );
    // Concurrently, as several tabs or a program send them.
    const answers = await Promise.all(ids.map((id) => give(asker, id, '900.00')));
    expect(answers.filter(({ location }) => location?.includes('done=refunded'))).toHaveLength(1);
    expect(answers.filter(({ location }) => location?.includes('/confirm'))).toHaveLength(3);
    const [first = ''] = ids.filter((_, at) => answers[at]?.location?.includes('/confirm'));
    expect((await give(asker, first, '100.00')).location).toContain('/confirm');
  });
});
