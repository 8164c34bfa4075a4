import { ownConnector } from '../support/own-connector.ts';
import { idOf, keyed, paidPayment, refund } from '../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../support/shop.ts';
import type { World } from '../support/world.ts';

/** The pages whose pictures are kept, by the names of the pictures. `live/`: of the other environment. */
export const picturedPages = [
  ...['home', 'payments', 'payments-none', 'search', 'payment', 'payment-refund', 'payment-declined'],
  ...['payment-links', 'refunds', 'disputes', 'dispute', 'reports', 'reports-method', 'reconciliation'],
  ...[
    'webhooks',
    'endpoint',
    'event',
    'developers',
    'requests',
    'settings',
    'settings-connector',
    'branding',
  ],
  ...['team', 'password', 'live-home', 'live-payments'],
] as const;
export type PicturedPage = (typeof picturedPages)[number];

/** Makes a shop with a little of everything; returns its merchant and the path of each page. */
export async function picturedShop(
  world: World,
): Promise<{ merchantId: string; paths: Readonly<Record<PicturedPage, string>> }> {
  const merchantId = await world.merchant();
  await world.database.query(`UPDATE merchants SET name = 'Corner Roasters' WHERE id = $1`, [merchantId]);
  const shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
  // Nothing is sent there: this world delivers no webhooks.
  const endpoint = await shop.call('POST', '/v1/webhook-endpoints', { url: 'https://shop.example/hooks' });
  const paid: string[] = [];
  for (const [index, name] of ['Ada Byron', 'Grace Hopper', 'Lin Wei'].entries()) {
    const customer = { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.org` };
    const fields = { reference: `order-10${index + 24}`, amountCents: 1_850 + index * 2_345, customer };
    paid.push(await paidPayment(shop, undefined, fields));
  }
  const declined = await paidPayment(shop, '4000000000009995', {
    ...{ reference: 'order-1030', amountCents: 4_850, description: 'Coffee for the office' },
    lineItems: [{ name: 'Ethiopia Yirgacheffe, 1 kg', quantity: 2, amountCents: 4_850 }],
  });
  await refund(shop, paid[0] ?? '', { amountCents: 850, reason: 'requestedByCustomer' });
  const dispute = await keyed(shop, `/v1/sandbox/payments/${paid[1]}/disputes`, { reason: 'fraudulent' });
  await keyed(shop, '/v1/payment-links', {
    ...{ amountCents: 4_200, currency: 'USD', reference: 'workshop-may', description: 'Workshop, 9 May' },
    ...{ successUrl: 'https://shop.example/thanks', cancelUrl: 'https://shop.example/workshops' },
  });
  await shop.create({ reference: 'order-1031', amountCents: 12_900 });
  await ownConnector(world, merchantId, 'live', 'unknown');
  const { rows: events } = await world.database.query<{ id: string }>(
    `SELECT id FROM events WHERE payment_id = $1 AND type = 'payment.paid'`,
    [paid[0]],
  );
  // The request log is written behind the answers.
  const last = await shop.call('GET', '/v1/refunds?status=nothing');
  await eventually(async () => {
    const { rows } = await world.database.query('SELECT FROM api_requests WHERE id = $1', [
      last.headers.get('request-id'),
    ]);
    return rows[0];
  });
  const sandbox = {
    home: '',
    payments: '/payments',
    'payments-none': '/payments?q=nothing-like-it',
    search: '/search?q=order-10',
    payment: `/payments/${paid[2]}`,
    'payment-refund': `/payments/${paid[2]}?ask=refund`,
    'payment-declined': `/payments/${declined}`,
    'payment-links': '/payment-links',
    refunds: '/refunds',
    disputes: '/disputes',
    dispute: `/disputes/${idOf(dispute)}`,
    reports: '/reports',
    'reports-method': '/reports?by=method',
    reconciliation: '/reports/reconciliation',
    webhooks: '/webhooks',
    endpoint: `/webhooks/${idOf(endpoint)}`,
    event: `/events/${events[0]?.id}`,
    developers: '/developers',
    requests: '/developers/requests',
    settings: '/settings?done=settingsSaved',
    branding: '/branding',
    team: '/team',
    password: '/team/password',
  };
  const live = { 'settings-connector': '/settings', 'live-home': '', 'live-payments': '/payments' };
  const below = (environment: string, paths: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(paths).map(([name, path]) => [name, `/dashboard/${environment}${path}`]),
    );
  return {
    merchantId,
    paths: { ...below('sandbox', sandbox), ...below('live', live) } as Record<PicturedPage, string>,
  };
}
