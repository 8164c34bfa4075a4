import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { jsonData } from '../../support/answers.ts';
import { idOf, refund, untilField } from '../../support/refunds-and-disputes.ts';
import { Shop, eventually } from '../../support/shop.ts';
import { type World, createWorld } from '../../support/world.ts';
import { Timeline } from '../../../src/api/payments/timeline-schema.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const test = it.concurrent;

let world: World;
let shop: Shop;
let stranger: Shop;
beforeAll(async () => {
  world = await createWorld({ REFUND_DELAY_SECONDS: '0' });
  shop = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
  stranger = new Shop(world.baseUrl, await world.key(await world.merchant(), 'sandbox'));
});
afterAll(() => world.close());

interface Entry {
  at: string;
  kind: string;
  detail: Record<string, unknown>;
}
interface Read {
  payment: Record<string, unknown>;
  waitingFor: { who: string; since: string; until: string | null; next: string } | null;
  entries: Entry[];
}

async function timeline(id: string, query = ''): Promise<Read> {
  const answer = await shop.call('GET', `/v1/payments/${id}/timeline${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  Timeline.parse(answer.body.data);
  return jsonData(answer) as Read;
}
const kinds = ({ entries }: Read): string[] => entries.map(({ kind }) => kind);

describe('the timeline', () => {
  test('lists a decline, a payment and a refund in order, and returns each instant as it was', async () => {
    const id = await shop.customPayment({ reference: 'story' });
    const card = await shop.captureCard(id, '4000000000009995');
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'failed' });
    const declined = await timeline(id);
    expect(declined.payment).toEqual(await shop.read(id));
    expect(declined.waitingFor).toMatchObject({
      who: 'customer',
      until: declined.payment['expiresAt'],
      next: expect.stringContaining('again'),
    });
    expect((await shop.pay(id, card)).body.data).toMatchObject({ status: 'paid' });
    const paid = await timeline(id);
    expect(paid.payment).toEqual(await shop.read(id));
    expect(paid.waitingFor).toBeNull();

    const asked = await refund(shop, id, { amountCents: 1000 });
    await untilField(shop, `/v1/refunds/${idOf(asked)}`, 'status', 'succeeded');
    const refunded = await timeline(id);
    expect(refunded.payment).toEqual(await shop.read(id));
    expect(kinds(refunded)).toEqual([
      'payment.created',
      'attempt.started',
      'attempt.declined',
      'attempt.started',
      'attempt.paid',
      'payment.paid',
      'refund.created',
      'refund.submitted',
      expect.stringMatching(/^(payment\.partiallyRefunded|refund\.succeeded)$/),
      expect.stringMatching(/^(payment\.partiallyRefunded|refund\.succeeded)$/),
    ]);
    expect(refunded.entries[2]?.detail).toMatchObject({ attemptNo: 1, failureCode: 'insufficient_funds' });
    expect(refunded.entries[5]?.detail).toMatchObject({ cardLast4: '9995', method: 'card' });
    expect(refunded.entries[5]?.detail['eventId']).toMatch(/^evt_/);

    // Every time of the timeline, read again afterwards.
    for (const [then, entry] of [
      [declined, declined.entries.at(-1)],
      [paid, paid.entries.at(-1)],
    ] as const) {
      const again = await timeline(id, `?at=${entry?.at}`);
      // The address is no longer valid, whichever time is read.
      expect(again.payment).toEqual({ ...then.payment, checkoutUrl: null });
      expect(again.entries).toEqual(then.entries);
      expect(again.waitingFor?.who).toBe(then.waitingFor?.who);
    }
    const created = await timeline(id, `?at=${refunded.entries[0]?.at}`);
    expect(created.payment).toMatchObject({ status: 'pending', method: null, refundedCents: 0 });
    expect(kinds(created)).toEqual(['payment.created']);
    const before = new Date(Date.parse(String(refunded.entries[0]?.at)) - 1).toISOString();
    expect((await shop.call('GET', `/v1/payments/${id}/timeline?at=${before}`)).status).toBe(404);
  });

  test('shows that a challenge waits for the customer, then is paid', async () => {
    const id = await shop.customPayment();
    expect((await timeline(id)).waitingFor).toMatchObject({ who: 'customer' });
    await shop.pay(id, await shop.captureCard(id, '4000000000003220'));
    const open = await timeline(id);
    expect(open.payment['status']).toBe('requiresAction');
    expect(open.waitingFor).toMatchObject({ who: 'customer', next: expect.stringContaining('step') });
    expect(kinds(open)).toEqual(['payment.created', 'attempt.started', 'payment.requiresAction']);
  });

  test('shows that a lost answer waits for the network, and keeps the entry', async () => {
    const id = await shop.customPayment();
    await shop.pay(id, await shop.captureCard(id, '4000000000007106'));
    const resolved = await eventually(async () => {
      const read = await timeline(id);
      if (kinds(read).includes('attempt.declined') || kinds(read).includes('attempt.voided')) return read;
      expect(read.waitingFor).toMatchObject({ who: 'network', until: null });
      return undefined;
    });
    expect(kinds(resolved)).toContain('attempt.unknown');
  });

  test('refuses other merchants, other environments and malformed instants', async () => {
    const id = await shop.customPayment();
    const path = `/v1/payments/${id}/timeline`;
    expect((await stranger.call('GET', path)).body.error?.code).toBe('not_found');
    expect((await shop.call('GET', `/v1/payments/${randomUUID()}/timeline`)).status).toBe(404);
    for (const query of ['?at=', '?at=yesterday', '?at=2026-13-01T00:00:00Z', '?when=1', '?at=2026-03-01']) {
      const answer = await shop.call('GET', path + query);
      expect([query, answer.status, answer.body.error?.code]).toEqual([query, 400, 'invalid_query']);
    }
  });

  test('is summarized by the command: what the payment waits for, or null', async () => {
    const id = await shop.customPayment();
    const why = (): unknown =>
      JSON.parse(
        execFileSync(
          process.execPath,
          ['--no-warnings', 'dist/src/cli/admin.js', 'payment', 'why', '--payment', id, '--json'],
          { cwd: projectRoot, env: { ...process.env, ...world.environment }, encoding: 'utf8' },
        ),
      );
    expect(why()).toEqual((await timeline(id)).waitingFor);
    await shop.pay(id, await shop.captureCard(id));
    expect(why()).toBeNull();
  });
});
