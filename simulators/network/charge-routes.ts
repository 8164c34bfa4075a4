import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { destroySocket, parseBody, Refusal, requireBearer } from '../server.ts';
import { chargeBody } from './charging.ts';
import type { NetworkContext } from './context.ts';
import { confirmCharge, voidCharge, voidUnknownKey } from './finish-charge.ts';
import { chargeView } from './views.ts';

const voidBody = z.object({
  paymentId: z.string().min(1).max(128),
  attemptId: z.string().min(1).max(128),
  amountCents: z.int().min(1).max(100_000_000),
});

export interface KeyRoute {
  Params: { key: string };
}

const SLOW_MS = 5_000;

/** Registers charge, look up, confirm and void, behind the service key. */
export function chargeRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger, stats } = network;
  const view = (charge: Parameters<typeof chargeView>[0]) => chargeView(charge, network.publicUrl());
  const find = (key: string) => {
    const charge = ledger.charge(key);
    if (charge) return charge;
    throw new Refusal(404, 'charge_not_found', 'Nothing is known under this key.');
  };

  return async (app) => {
    app.addHook('onRequest', requireBearer(network.serviceKey));

    app.post('/v1/charges', async (request, reply) => {
      stats.count('charge');
      const key = idempotencyKey(request);
      const body = parseBody(chargeBody, request.body);
      const fault = network.faults.take(body);
      if (fault === 'timeout') return holdReply(network, reply);
      if (fault === 'error') throw new Refusal(500, 'internal_error', 'An ordered fault.');
      if (fault === 'slow') await sleep(SLOW_MS);
      const { charge, answer } = await network.charging.charge(key, body, {
        lateSuccess: fault === 'lateSuccess',
        doubleCallbacks: fault === 'duplicateCallback',
      });
      if (answer === 'never') return holdReply(network, reply);
      if (answer === 'decided') await ledger.decided(key);
      if (answer === 'lost' || fault === 'lostResponse') {
        await network.flushed();
        destroySocket(reply);
        return reply;
      }
      return view(ledger.charge(key) ?? charge);
    });

    app.get<KeyRoute>('/v1/charges/:key', async (request) => {
      stats.count('lookup');
      return view(find(request.params.key));
    });

    app.post<KeyRoute>('/v1/charges/:key/confirm', async (request) => {
      stats.count('confirm');
      return view(confirmCharge(ledger, find(request.params.key)));
    });

    app.post<KeyRoute>('/v1/charges/:key/void', async (request) => {
      stats.count('void');
      const { key } = request.params;
      const body = parseBody(voidBody, request.body);
      const known = network.voidsUnseenKeys ? ledger.charge(key) : find(key);
      return view(known ? voidCharge(ledger, known) : voidUnknownKey(ledger, key, body, network.now()));
    });
  };
}

/** Returns the `Idempotency-Key` of a call: 1-255 visible ASCII characters. */
export function idempotencyKey(request: FastifyRequest): string {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal(
    400,
    'invalid_request',
    'The Idempotency-Key header is missing or wrong.',
    'Idempotency-Key',
  );
}

/** Holds the call without an answer, once the changes are on disk. */
async function holdReply(network: NetworkContext, reply: FastifyReply): Promise<FastifyReply> {
  await network.flushed();
  network.holds.hold(reply);
  return reply;
}
