import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parseBody } from '../server.ts';
import type { NetworkContext } from './context.ts';
import { ledgerView, refundView } from './views.ts';

const ledgerQuery = z.object({ paymentId: z.string().min(1).max(128) });

/** The open ledger of the sandbox: what really happened to the money, and how often the service asked. */
export function ledgerRoutes(network: NetworkContext): FastifyPluginAsync {
  return async (app) => {
    app.get('/ledger', async (request) => {
      const { paymentId } = parseBody(ledgerQuery, request.query);
      return {
        charges: network.ledger.chargesOf(paymentId).map(ledgerView),
        refunds: network.ledger.refundsOf(paymentId).map(refundView),
      };
    });
    app.get('/stats', async () => ({ calls: network.stats.calls }));
  };
}
