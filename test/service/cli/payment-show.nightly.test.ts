import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { idOf, keyed, paidPayment, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { eventually, Shop } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';

const admin = join(import.meta.dirname, '../../../dist/src/cli/admin.js');

let world: World;
let shop: Shop;
let merchantId: string;

beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  merchantId = await world.merchant();
  shop = new Shop(world.baseUrl, await world.key(merchantId, 'sandbox'));
});
afterAll(() => world.close());

async function run(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [admin, ...args, '--json'], {
    env: { PATH: process.env['PATH'], ...world.environment },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

async function show(paymentId: string): Promise<{ text: string; shown: Record<string, unknown> }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [admin, 'payment', 'show', '--payment', paymentId, '--json'],
    { env: { PATH: process.env['PATH'], ...world.environment } },
  );
  return { text: stdout, shown: JSON.parse(stdout) as Record<string, unknown> };
}

describe('payment show', () => {
  it('lists the refunds and disputes of the payment and of no other, oldest first, without evidence texts', async () => {
    const id = await paidPayment(shop);
    const other = await paidPayment(shop);
    await refund(shop, other);
    const refunds: string[] = [];
    for (const amountCents of [100, 200]) {
      const refundId = idOf(await refund(shop, id, { amountCents, reason: 'duplicate' }));
      await untilField(shop, `/v1/refunds/${refundId}`, 'status', 'succeeded');
      refunds.push(refundId);
    }
    const disputeId = idOf(
      await keyed(shop, `/v1/sandbox/payments/${id}/disputes`, { reason: 'fraudulent' }),
    );
    await shop.call('PUT', `/v1/disputes/${disputeId}/evidence`, {
      evidence: { uncategorizedText: 'only for the network' },
    });
    const { text, shown } = await show(id);
    expect(shown).toMatchObject({
      payment: { id, status: 'disputed', refundedCents: 300 },
      refunds: refunds.map((refundId, at) => ({
        id: refundId,
        paymentId: id,
        amountCents: [100, 200][at],
        status: 'succeeded',
        reason: 'duplicate',
        submittedAt: expect.any(String),
        workflowId: `refund-${refundId}`,
      })),
      disputes: [
        {
          id: disputeId,
          paymentId: id,
          status: 'needsResponse',
          reason: 'fraudulent',
          evidenceFields: ['uncategorizedText'],
          providerReference: expect.any(String),
          workflowId: `dispute-${disputeId}`,
        },
      ],
    });
    expect(shown['workflow']).toMatchObject({
      query: `WorkflowId IN (${[
        `payment-${id}`,
        ...refunds.map((one) => `refund-${one}`),
        `dispute-${disputeId}`,
      ]
        .map((one) => `"${one}"`)
        .join(', ')})`,
    });
    expect((shown['refunds'] as unknown[]).length).toBe(2);
    expect(text).not.toContain('only for the network');
  });

  it('lists none for a payment without any', async () => {
    expect((await show(await shop.customPayment())).shown).toMatchObject({ refunds: [], disputes: [] });
  });
});

describe('lists', () => {
  it('payment list prints the payments of one merchant and environment, newest first', async () => {
    const stranger = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
    await stranger.customPayment();
    const older = await shop.customPayment();
    const paid = await paidPayment(shop);
    const list = async (...flags: string[]) => {
      const tenant = ['--merchant', merchantId, '--environment', 'sandbox'];
      const { payments } = await run('payment', 'list', ...tenant, ...flags);
      return (payments as { id: string; status: string }[]).map(({ id, status }) => [id, status]);
    };
    expect((await list()).slice(0, 2)).toEqual([
      [paid, 'paid'],
      [older, 'pending'],
    ]);
    expect(await list('--status', 'paid', '--limit', '1')).toEqual([[paid, 'paid']]);
    const live = await run('payment', 'list', '--merchant', merchantId, '--environment', 'live');
    expect(live).toEqual({ payments: [] });
  });

  it('merchant list prints every merchant with its id', async () => {
    const { merchants } = await run('merchant', 'list');
    expect(merchants).toContainEqual({
      merchantId,
      name: 'Test shop',
      status: 'active',
      createdAt: expect.any(String),
    });
  });
});

describe('payment timeline', () => {
  it('prints all entries, or with --only one part of them', async () => {
    const id = await paidPayment(shop);
    const printedKinds = async (...flags: string[]): Promise<string[]> => {
      const { entries } = await run('payment', 'timeline', '--payment', id, ...flags);
      return (entries as { kind: string }[]).map(({ kind }) => kind);
    };
    // Requests are logged a moment after their answers.
    const all = await eventually(async () => {
      const kinds = await printedKinds();
      return kinds.filter((kind) => kind === 'request.answered').length >= 3 ? kinds : undefined;
    });
    expect(await printedKinds('--only', 'payment')).toEqual(
      all.filter((kind) => kind !== 'request.answered'),
    );
    expect(new Set(await printedKinds('--only', 'calls'))).toEqual(new Set(['request.answered']));
    expect(await printedKinds('--only', 'webhooks')).toEqual([]);
  });
});
