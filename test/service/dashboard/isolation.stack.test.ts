import { dashboardRoutes as routesOf, type RouteDeps } from '../../../src/dashboard/routes.ts';
import type { DashboardRoute, Owned } from '../../../src/dashboard/route.ts';
import { may, type Role, roles } from '../../../src/domain/members.ts';
import { type Environment, environments } from '../../../src/domain/statuses.ts';
import { addDisputeFile } from '../../../src/db/disputes/dispute-files.ts';
import { archiveSchema } from '../../../src/db/payments/archive.ts';
import { DashboardClient, invitationLink, ownerLink } from '../../support/dashboard.ts';
import { manyPayments } from '../../support/many-rows.ts';
import { archiveAll, endLongAgo } from '../../support/harness/old-payments.ts';
import { dataOf, idOf, keyed, paidPayment, refund } from '../../support/refunds-and-disputes.ts';
import { Shop } from '../../support/shop.ts';
import { byOperator } from '../../support/harness/by-operator.ts';
import { type World, createWorld } from '../../support/world.ts';

/** The objects of one merchant in one environment, by the names in paths. */
type Things = Record<Owned, string> & { secretText: string };

let world: World;
const merchants: Record<'a' | 'b', { id: string; things: Record<Environment, Things> }> = {} as never;
const clients: Record<Role, DashboardClient> = {} as never;

const offer = {
  amountCents: 4200,
  currency: 'USD',
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/cart',
};

async function thingsOf(merchantId: string, environment: Environment, mark: string): Promise<Things> {
  const key = await world.key(merchantId, environment);
  const shop = new Shop(world.baseUrl, key);
  const secretText = `${mark}-${environment}-canary`;
  const payment = await paidPayment(shop, undefined, { reference: secretText });
  const endpoint = idOf(
    await shop.call('POST', '/v1/webhook-endpoints', { url: `https://${secretText}.example/hook` }),
  );
  const made = dataOf(await refund(shop, payment, { amountCents: 500 }));
  const event = await world.database.query<{ id: string }>(
    'SELECT id FROM events WHERE payment_id = $1 LIMIT 1',
    [payment],
  );
  const dispute =
    environment === 'sandbox'
      ? idOf(
          await keyed(shop, `/v1/sandbox/payments/${await paidPayment(shop)}/disputes`, {
            reason: 'fraudulent',
          }),
        )
      : '01980a5d-1b2c-7d4e-8f90-a1b2c3d4e5f6';
  if (environment === 'sandbox') {
    const bytes = Buffer.from(`%PDF-1.7 ${secretText}`);
    const file = {
      id: dispute,
      name: 'slip.pdf',
      contentType: 'application/pdf',
      bytes,
      sha256: 'a'.repeat(64),
    } as const;
    await addDisputeFile(world.database, { merchantId, environment }, dispute, file, byOperator());
  }
  return {
    secretText,
    payment,
    endpoint,
    refund: String(made['id']),
    event: event.rows[0]?.id ?? '',
    dispute,
    key: key.split('_')[2] ?? '',
    link: idOf(await keyed(shop, '/v1/payment-links', { ...offer, reference: secretText })),
    member: '',
    session: '',
    invitation: '',
  };
}

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '3600' });
  for (const name of ['a', 'b'] as const) {
    const id = await world.merchant();
    await DashboardClient.by(world, await ownerLink(world, id));
    const people = await world.database.query<{ member: string; session: string }>(
      `SELECT m.id AS member, s.id AS session FROM members m JOIN member_sessions s ON s.member_id = m.id
       WHERE m.merchant_id = $1`,
      [id],
    );
    const things = {} as Record<Environment, Things>;
    for (const environment of environments) {
      await invitationLink(world, id, 'readOnly');
      const invited = await world.database.query<{ invitation: string }>(
        'SELECT id AS invitation FROM sign_in_links WHERE merchant_id = $1 AND role IS NOT NULL LIMIT 1',
        [id],
      );
      things[environment] = {
        ...(await thingsOf(id, environment, name)),
        ...people.rows[0],
        ...invited.rows[0],
      };
    }
    merchants[name] = { id, things };
  }
  for (const role of roles) {
    const link =
      role === 'owner'
        ? await ownerLink(world, merchants.a.id)
        : await invitationLink(world, merchants.a.id, role);
    clients[role] = await DashboardClient.by(world, link);
  }
});
afterAll(() => world.close());

/** A file has the id of its dispute. */
const pathOf = (route: DashboardRoute, environment: Environment, things: Things): string =>
  `/dashboard/${environment}${route.path}`
    .replace(':id', route.owns === undefined ? '' : things[route.owns])
    .replace(':eventId', things.event) +
  (route.path === '/disputes/:id/file' ? `?file=${things.dispute}` : '');

/** Returns everything of a merchant that a change could affect, as one text. */
async function stateOf(merchantId: string): Promise<string> {
  const { rows } = await world.database.query<{ state: string }>(
    `SELECT json_build_array(
       (SELECT json_agg(k ORDER BY id) FROM (SELECT id, name, revoked_at, expires_at FROM api_keys WHERE merchant_id = $1) k),
       (SELECT json_agg(s ORDER BY environment) FROM merchant_settings s WHERE merchant_id = $1),
       (SELECT json_agg(w ORDER BY id) FROM (SELECT id, url, status, previous_secret_until FROM webhook_endpoints WHERE merchant_id = $1) w),
       (SELECT json_agg(r ORDER BY id) FROM (SELECT id, status, amount_cents FROM refunds WHERE merchant_id = $1) r),
       (SELECT json_agg(d ORDER BY id) FROM (SELECT id, status, evidence FROM disputes WHERE merchant_id = $1) d),
       (SELECT json_agg(l ORDER BY id) FROM (SELECT id, active FROM payment_links WHERE merchant_id = $1) l),
       (SELECT json_agg(b) FROM merchant_branding b WHERE merchant_id = $1),
       (SELECT json_agg(m ORDER BY id) FROM (SELECT id, role, email, removed_at FROM members WHERE merchant_id = $1) m),
       (SELECT count(*) FROM sign_in_links WHERE merchant_id = $1),
       (SELECT count(*) FROM member_sessions s JOIN members m ON m.id = s.member_id WHERE m.merchant_id = $1),
       (SELECT sequence FROM audit_heads WHERE merchant_id = $1))::text AS state`,
    [merchantId],
  );
  return rows[0]?.state ?? '';
}

/** Objects that belong to both environments. */
const ofBoth: readonly (Owned | undefined)[] = ['member', 'session', 'invitation'];
const cases = roles.flatMap((role) => environments.map((environment) => [role, environment] as const));
// Only the table is read: no handler runs here.
const dashboardRoutes = routesOf({} as RouteDeps);
const named = dashboardRoutes.filter(({ owns }) => owns !== undefined);

describe('the dashboard of one merchant', () => {
  it('lists every route once', () => {
    const all = dashboardRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(all).size).toBe(all.length);
    for (const { path, owns } of dashboardRoutes) expect(path.includes('/:id')).toBe(owns !== undefined);
    // Only a form may request a change.
    const changing = dashboardRoutes.filter(
      ({ permission }) => permission !== 'read' && permission !== 'own',
    );
    expect(changing.filter(({ method }) => method !== 'POST')).toEqual([]);
  });

  it.each(cases)(
    "answers 404 to every route with another merchant's or environment's id, whatever else is wrong: %s in %s",
    async (role, environment) => {
      const before = await stateOf(merchants.b.id);
      const own = await stateOf(merchants.a.id);
      const other = environment === 'sandbox' ? 'live' : 'sandbox';
      for (const route of named) {
        const foreign = [merchants.b.things[environment]];
        if (!ofBoth.includes(route.owns)) foreign.push(merchants.a.things[other]);
        for (const things of foreign) {
          const path = pathOf(route, environment, things);
          const tries =
            route.method === 'GET'
              ? [await clients[role].get(path)]
              : [await clients[role].post(path, {}, null), await clients[role].post(path)];
          for (const { status, text } of tries) {
            expect({ route: `${route.method} ${route.path}`, status }).toEqual({
              route: `${route.method} ${route.path}`,
              status: 404,
            });
            expect(text).not.toContain(things.secretText);
          }
        }
      }
      expect(await stateOf(merchants.b.id)).toBe(before);
      expect(await stateOf(merchants.a.id)).toBe(own);
    },
  );

  it.each(cases)('permits each role only its actions: %s in %s', async (role, environment) => {
    const own = await stateOf(merchants.a.id);
    const things = merchants.a.things[environment];
    for (const route of dashboardRoutes) {
      if (may(role, route.permission)) continue;
      if (route.owns === 'dispute' && environment === 'live') continue;
      if (route.sandboxOnly && environment === 'live') continue;
      const answer = await clients[role].post(pathOf(route, environment, things));
      expect({ route: route.path, status: answer.status }).toEqual({ route: route.path, status: 403 });
    }
    expect(await stateOf(merchants.a.id)).toBe(own);
  });

  it('leaves an archived payment in the archive until a role may post the form', async () => {
    const ids = await manyPayments(world.database, merchants.a.id, {
      count: 1,
      ageSeconds: 600,
      final: true,
    });
    await endLongAgo(world.database, ids);
    await archiveAll(world.database);
    const isArchived = async (): Promise<boolean> => {
      const sql = `SELECT FROM ${archiveSchema}.payments WHERE id = ANY ($1)`;
      return (await world.database.query(sql, [ids])).rowCount === 1;
    };
    const path = `/dashboard/sandbox/payments/${ids[0]}`;
    expect([await isArchived(), (await clients.readOnly.get(path)).status]).toEqual([true, 200]);
    // Refused without the right, or without the token of a form.
    expect((await clients.readOnly.post(`${path}/refunds`)).status).toBe(403);
    expect((await clients.support.post(`${path}/refunds`, {}, null)).status).toBe(403);
    expect(await isArchived()).toBe(true);
    await clients.support.post(`${path}/refunds`, { amount: 'none' });
    expect(await isArchived()).toBe(false);
  });

  it.each(cases)(
    "shows nothing of another merchant's or environment's: %s in %s",
    async (role, environment) => {
      const other = environment === 'sandbox' ? 'live' : 'sandbox';
      const hidden = [
        ...environments.map((name) => merchants.b.things[name].secretText),
        merchants.a.things[other].secretText,
        ...Object.values(merchants.b.things).flatMap(({ payment, key, endpoint }) => [
          payment,
          key,
          endpoint,
        ]),
      ];
      for (const route of dashboardRoutes.filter(({ method }) => method === 'GET')) {
        if (route.owns === 'dispute' && environment === 'live') continue;
        const path = pathOf(route, environment, merchants.a.things[environment]);
        const { status, text } = await clients[role].get(path);
        expect({ path: route.path, status }).toEqual({ path: route.path, status: 200 });
        for (const canary of hidden) expect(text).not.toContain(canary);
      }
      // The search does not find the other merchant's texts either.
      for (const canary of hidden) {
        const { text } = await clients[role].get(`/dashboard/${environment}/payments?q=${canary}`);
        expect(text).not.toContain('data-testid="payment-row"');
      }
    },
  );

  it('redirects visitors without a session from every page to the sign-in, and accepts no form of theirs', async () => {
    const visitor = new DashboardClient(world);
    for (const route of dashboardRoutes) {
      const path = pathOf(route, 'sandbox', merchants.a.things.sandbox);
      const answer = await (route.method === 'GET' ? visitor.get(path) : visitor.post(path, {}, null));
      expect({ path, status: answer.status }).toEqual({ path, status: route.method === 'GET' ? 303 : 401 });
      expect(answer.location ?? '/dashboard/sign-in').toMatch(/^\/dashboard\/sign-in/);
    }
  });
});
