import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { call, until, World, type ChargeView } from '../../support/simulators.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface News {
  type: string;
  key?: string;
  refundKey?: string;
  disputeId?: string;
  paymentId: string;
  id: string;
}

/** A receiver that stores messages with a valid signature, and answers with `status`. */
class Receiver {
  readonly news: News[] = [];
  wrong = 0;
  status: () => number = () => 204;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        this.#take(request.headers, body);
        response.writeHead(this.status()).end();
      });
    });
  }

  #take(headers: NodeJS.Dict<string | string[]>, body: string): void {
    const id = String(headers['webhook-id']);
    try {
      new Webhook(SECRET).verify(body, {
        'webhook-id': id,
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
      this.news.push({ ...(JSON.parse(body) as News), id });
    } catch {
      this.wrong += 1;
    }
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/callbacks/network`;
  }

  of(paymentId: string): News[] {
    return this.news.filter((each) => each.paymentId === paymentId);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('callbacks', () => {
  /**
   * Gives a test its own network and receiver. The tests run concurrently, because retries take real seconds.
   */
  const withReceiver = async (test: (world: World, receiver: Receiver) => Promise<void>): Promise<void> => {
    const receiver = new Receiver();
    const world = await World.start({ callback: { url: await receiver.listen(), secret: SECRET } });
    try {
      await test(world, receiver);
    } finally {
      await world.stop();
      receiver.close();
    }
  };

  const awaitCallback = (receiver: Receiver, paymentId: string, type: string) =>
    until(async () => receiver.of(paymentId).find((news) => news.type === type));

  it.concurrent('report an answered challenge, signed, but no change within a call of the service', () =>
    withReceiver(async (world, receiver) => {
      const plain = await world.pay('4242424242424242');
      const { key, session, charge } = await world.pay('4000000000003220');
      await call(charge.action?.url ?? '', { form: { result: 'approve' } });
      expect(await awaitCallback(receiver, session.paymentId, 'charge.updated')).toMatchObject({
        key,
        occurredAt: expect.any(String),
      });
      await world.confirm(key);
      await world.void(`${plain.session.paymentId}:9`, plain.session);
      expect([receiver.news.length, receiver.wrong]).toEqual([1, 0]);
    }),
  );

  it.concurrent('report changes of wallet, pix, late success, dispute and refund', () =>
    withReceiver(async (world, receiver) => {
      const walletSession = await world.session();
      const walletBody = world.chargeBody(walletSession, '', { method: 'wallet', cardToken: undefined });
      const wallet = (await world.charge(`${walletSession.paymentId}:1`, walletBody)).json<ChargeView>();
      await call(wallet.action?.url ?? '', { form: { result: 'approve' } });
      expect(await awaitCallback(receiver, walletSession.paymentId, 'charge.updated')).toMatchObject({
        key: wallet.key,
      });

      const late = await world.token('4000000000007205');
      const checkoutExpiresAt = new Date(Date.now() - 1_500).toISOString();
      const lateBody = world.chargeBody(late.session, late.token, { checkoutExpiresAt });
      await world
        .charge(`${late.session.paymentId}:1`, lateBody, { signal: AbortSignal.timeout(200) })
        .catch(() => null);
      expect(await awaitCallback(receiver, late.session.paymentId, 'charge.updated')).toMatchObject({
        key: `${late.session.paymentId}:1`,
      });

      const disputed = await world.pay('4000000000000259');
      expect(await awaitCallback(receiver, disputed.session.paymentId, 'dispute.updated')).toMatchObject({
        disputeId: expect.stringMatching(/^dp_/),
      });

      const refunded = await world.pay('4000000000007726');
      const { paymentId } = refunded.session;
      await world.service('/v1/refunds', {
        json: { paymentId, chargeKey: refunded.key, amountCents: 100 },
        headers: { 'idempotency-key': 'ref_7726' },
      });
      world.skewMs = 4_000;
      await world.service('/v1/refunds/ref_7726');
      expect(await awaitCallback(receiver, paymentId, 'refund.updated')).toMatchObject({
        refundKey: 'ref_7726',
      });
    }),
  );

  it.concurrent('are sent again with the same message id to a receiver that fails', () =>
    withReceiver(async (world, receiver) => {
      let tries = 0;
      receiver.status = () => ((tries += 1) < 3 ? 503 : 200);
      const { session, charge } = await world.pay('4000000000003220');
      await call(charge.action?.url ?? '', { form: { result: 'fail' } });
      await until(async () => receiver.of(session.paymentId).length === 3);
      expect(new Set(receiver.news.map(({ id }) => id)).size).toBe(1);
    }),
  );

  it.concurrent('do not follow redirects, which count as failures', () =>
    withReceiver(async (world, receiver) => {
      receiver.status = () => 302;
      const { session, charge } = await world.pay('4000000000003220');
      await call(charge.action?.url ?? '', { form: { result: 'fail' } });
      await until(async () => receiver.of(session.paymentId).length === 2);
      expect(receiver.news).toHaveLength(2);
    }),
  );

  it.concurrent('are sent after a restart when they were not accepted before it', () =>
    withReceiver(async (world, receiver) => {
      receiver.status = () => 503;
      const { session, charge } = await world.pay('4000000000003220');
      await call(charge.action?.url ?? '', { form: { result: 'approve' } });
      const first = await awaitCallback(receiver, session.paymentId, 'charge.updated');
      await world.network.close();
      receiver.status = () => 200;
      receiver.news.length = 0;
      await world.startNetwork();
      expect(await awaitCallback(receiver, session.paymentId, 'charge.updated')).toMatchObject({
        id: first.id,
      });
    }),
  );

  it.concurrent('are sent twice by duplicateCallback', () =>
    withReceiver(async (world, receiver) => {
      await world.service('/v1/faults', {
        json: { mode: 'duplicateCallback', count: 1, merchantId: 'mer_1' },
      });
      const { session } = await world.pay('4242424242424242');
      await until(async () => receiver.of(session.paymentId).length === 2);
      expect(new Set(receiver.news.map(({ id }) => id)).size).toBe(1);
    }),
  );
});
