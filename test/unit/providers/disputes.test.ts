import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createDisputeNetwork } from '../../../src/providers/disputes-http.ts';
import { createProviderHttp } from '../../../src/providers/http.ts';
import { ProviderUnavailable } from '../../../src/providers/ports.ts';
import { type DisputeNetwork, DisputeUnreadable } from '../../../src/providers/dispute-port.ts';
import { createStripe, createStripeAgent } from '../../../src/providers/stripe/client.ts';
import { createStripeDisputes } from '../../../src/providers/stripe/disputes.ts';
import { SECRET_KEY, type StripeObject, StripeWorld } from '../../support/stripe-dialect.ts';
import { call } from '../../support/simulators.ts';

const paymentId = 'b5a7c2e4-0d6f-4b1a-9c3e-7f8091a2b3c4';
const daySeconds = 86_400;
const nowSeconds = Math.floor(Date.now() / 1000);

/** Answers of a provider by path. A path without an answer returns 500. */
let answers: Record<string, unknown> = {};
let server: Server;
let base = '';
const agent = createStripeAgent();

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '';
    const body = answers[path];
    response.writeHead(body === undefined ? 500 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: { type: 'api_error' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await agent.close();
  server.closeAllConnections();
  server.close();
});

/** A provider's unreadable disputes, with the reason of each. */
type Broken = readonly [what: string, over: Record<string, unknown>, problem: string];

describe('the disputes of the network’s protocol', () => {
  const dispute = (disputeId: string, over: Record<string, unknown> = {}) => ({
    disputeId,
    paymentId,
    amountCents: 2_500,
    currency: 'USD',
    reason: 'fraudulent',
    stage: 'chargeback',
    status: 'needsResponse',
    evidenceDueAt: new Date(Date.now() + daySeconds * 1000).toISOString(),
    createdAt: new Date().toISOString(),
    ...over,
  });
  const http = () =>
    createProviderHttp({ provider: 'network', baseUrl: base, serviceKey: 'key', timeoutMs: 5_000 });
  const broken: Broken[] = [
    ['in a status of tomorrow', { status: 'arbitration' }, 'unknown_state'],
    ['in a stage of tomorrow', { stage: 'arbitration' }, 'unknown_state'],
    ['in another currency', { currency: 'EUR' }, 'other_currency'],
    ['without an amount', { amountCents: undefined }, 'malformed'],
    ['of more than is stored', { amountCents: 100_000_001 }, 'malformed'],
    ['without an instant', { createdAt: 'yesterday' }, 'malformed'],
    [
      'from the future',
      { createdAt: new Date(Date.now() + 3 * daySeconds * 1000).toISOString() },
      'future_instant',
    ],
    ['due in ten years', { evidenceDueAt: '2099-01-01T00:00:00.000Z' }, 'future_instant'],
  ];

  it.each(broken)('one %s is reported apart and does not stop the list', async (_what, over, problem) => {
    const client = http();
    const disputes = createDisputeNetwork(client);
    answers = {
      '/v1/dispute-changes': {
        disputes: [dispute('dp_1'), dispute('dp_2', over), dispute('dp_3')],
        cursor: '3',
        more: false,
      },
      '/v1/disputes/dp_2': dispute('dp_2', over),
    };
    const page = await disputes.listDisputeChanges(null);
    expect(page.disputes.map(({ disputeId }) => disputeId)).toEqual(['dp_1', 'dp_3']);
    expect(page.unreadable).toEqual([{ disputeId: 'dp_2', paymentId, chargeReference: null, problem }]);
    expect(page.cursor).toBe('3');
    await expect(disputes.readDispute('dp_2')).rejects.toMatchObject({ name: 'DisputeUnreadable', problem });
    await client.close();
  });

  it('a list continues after lines that name no dispute', async () => {
    const client = http();
    answers = {
      '/v1/dispute-changes': { disputes: [null, 7, {}, dispute('dp_3')], cursor: '4', more: true },
    };
    const page = await createDisputeNetwork(client).listDisputeChanges('1');
    expect(page.disputes).toHaveLength(1);
    expect(page.unreadable.map(({ disputeId, problem }) => [disputeId, problem])).toEqual(
      Array.from({ length: 3 }, () => ['', 'malformed']),
    );
    expect([page.cursor, page.more]).toEqual(['4', true]);
    await client.close();
  });
});

describe('the disputes of Stripe', () => {
  const dispute = (id: string, over: Record<string, unknown> = {}) => ({
    id,
    object: 'dispute',
    amount: 2_500,
    currency: 'usd',
    reason: 'fraudulent',
    status: 'needs_response',
    created: nowSeconds,
    evidence_details: { due_by: nowSeconds + daySeconds },
    payment_intent: { id: 'pi_1', object: 'payment_intent', metadata: { paymentId } },
    ...over,
  });
  const event = (no: number, id: string) => ({
    id: `evt_${no}`,
    object: 'event',
    type: 'charge.dispute.updated',
    data: { object: { id, object: 'dispute', payment_intent: 'pi_1' } },
  });
  const stripe = (): DisputeNetwork =>
    createStripeDisputes(createStripe({ secretKey: SECRET_KEY, apiBase: base, agent }));
  /** Returns a list with the newest first, like Stripe's. */
  const listOf = (...ids: string[]) => ({
    object: 'list',
    data: ids.toReversed().map((id, at) => event(ids.length - at, id)),
    has_more: false,
    url: '/v1/events',
  });
  const broken: Broken[] = [
    ['in a state of tomorrow', { status: 'arbitration' }, 'unknown_state'],
    ['in a state that is a name of every object', { status: 'constructor' }, 'unknown_state'],
    ['in another currency', { currency: 'eur' }, 'other_currency'],
    ['without an amount', { amount: undefined }, 'malformed'],
    ['without details of its evidence', { evidence_details: undefined }, 'malformed'],
    ['of nothing', { amount: 0 }, 'malformed'],
    ['with an instant that is none', { created: 'now' }, 'malformed'],
    ['with a deadline no date can hold', { evidence_details: { due_by: 1e17 } }, 'malformed'],
    ['from the future', { created: nowSeconds + 3 * daySeconds }, 'future_instant'],
  ];

  it.each(broken)('one %s is reported apart and does not stop the list', async (_what, over, problem) => {
    answers = {
      '/v1/events': listOf('du_1', 'du_2', 'du_3'),
      '/v1/disputes/du_1': dispute('du_1'),
      '/v1/disputes/du_2': dispute('du_2', over),
      '/v1/disputes/du_3': dispute('du_3'),
    };
    const page = await stripe().listDisputeChanges('evt_0');
    expect(page.disputes.map(({ disputeId }) => disputeId)).toEqual(['du_1', 'du_3']);
    expect(page.unreadable).toEqual([{ disputeId: 'du_2', paymentId, chargeReference: 'pi_1', problem }]);
    expect(page.cursor).toBe('evt_3');
    await expect(stripe().readDispute('du_2')).rejects.toMatchObject({ name: 'DisputeUnreadable', problem });
  });

  it('one without its intent is reported with that of its event; one of a foreign payment is left out', async () => {
    answers = {
      '/v1/events': listOf('du_1', 'du_2', 'du_3'),
      '/v1/disputes/du_1': dispute('du_1', { payment_intent: undefined }),
      '/v1/disputes/du_2': dispute('du_2', { payment_intent: { id: 'pi_9', metadata: {} } }),
      '/v1/disputes/du_3': dispute('du_3'),
    };
    const page = await stripe().listDisputeChanges('evt_0');
    expect(page.disputes.map(({ disputeId }) => disputeId)).toEqual(['du_3']);
    expect(page.unreadable).toEqual([
      { disputeId: 'du_1', paymentId: null, chargeReference: 'pi_1', problem: 'malformed' },
    ]);
  });

  it('one without an answer does not stop the list; a page without any answer is read again', async () => {
    answers = { '/v1/events': listOf('du_1', 'du_2'), '/v1/disputes/du_2': dispute('du_2') };
    const page = await stripe().listDisputeChanges('evt_0');
    expect(page.disputes.map(({ disputeId }) => disputeId)).toEqual(['du_2']);
    expect(page.unreadable).toEqual([
      { disputeId: 'du_1', paymentId: null, chargeReference: 'pi_1', problem: 'no_answer' },
    ]);
    answers = { '/v1/events': listOf('du_1', 'du_2') };
    await expect(stripe().listDisputeChanges('evt_0')).rejects.toBeInstanceOf(ProviderUnavailable);
  });

  it('a dispute without a deadline is read without one', async () => {
    answers = { '/v1/disputes/du_1': dispute('du_1', { evidence_details: { due_by: null } }) };
    expect(await stripe().readDispute('du_1')).toMatchObject({ evidenceDueAt: null });
  });

  it('the dialect’s inquiry becomes a chargeback, moves its terms, and reinstates funds', async () => {
    const world = await StripeWorld.start();
    const own = createStripeDisputes(createStripe({ secretKey: SECRET_KEY, apiBase: world.url, agent }));
    const paid = await world.pay('4242424242424242', 2_500, { metadata: { paymentId } });
    const { id: intent } = paid.json<StripeObject>();
    const order = (path: string, json: unknown) =>
      call(`${world.url}/simulate/disputes${path}`, { json, key: SECRET_KEY });
    const { id } = (await order('', { paymentIntent: intent, inquiry: true })).json<StripeObject>();
    expect(await own.readDispute(id)).toMatchObject({ stage: 'inquiry', status: 'needsResponse' });
    const { cursor } = await own.listDisputeChanges(null);

    const change = { status: 'needs_response', amountCents: 900, dueInSeconds: 20 * daySeconds };
    await order(`/${id}/change`, change);
    const page = await own.listDisputeChanges(cursor);
    expect(page.disputes).toMatchObject([{ disputeId: id, stage: 'chargeback', amountCents: 900 }]);
    const dueInMs = Date.parse(page.disputes[0]?.evidenceDueAt ?? '') - Date.now();
    expect(Math.round(dueInMs / 1000 / daySeconds)).toBe(20);

    await own.acceptDispute(id, 'accept');
    expect(await own.readDispute(id)).toMatchObject({ status: 'lost' });
    await order(`/${id}/change`, { status: 'won' });
    expect(await own.readDispute(id)).toMatchObject({ status: 'won' });
    const events = await world.get('/v1/events?type=charge.dispute.funds_reinstated');
    expect(events.json<{ data: unknown[] }>().data).toHaveLength(1);

    await order(`/${id}/change`, { status: 'arbitration' });
    await expect(own.readDispute(id)).rejects.toBeInstanceOf(DisputeUnreadable);
    await order(`/${id}/change`, { status: 'won', currency: 'eur' });
    await expect(own.readDispute(id)).rejects.toMatchObject({ problem: 'other_currency' });
    await world.stop();
  });
});
