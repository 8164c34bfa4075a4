import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { Refusal, parseBody } from '../server.ts';
import type { NetworkContext } from './context.ts';
import { ledgerView, refundView } from './views.ts';

const ledgerQuery = z.object({ paymentId: z.string().min(1).max(128) });

/** Longest wait for the other network's ledger, in ms. */
const otherTimeoutMs = 2_000;

/**
 * Registers the public ledger, which shows what really happened to an amount and how many calls the service
 * made. For a payment that this network does not have, it returns the ledger of `otherUrl`, which is only
 * read.
 */
export function ledgerRoutes(network: NetworkContext, otherUrl: string | null): FastifyPluginAsync {
  return async (app) => {
    app.get('/ledger', async (request) => {
      const { paymentId } = parseBody(ledgerQuery, request.query);
      const charges = network.ledger.chargesOf(paymentId).map(ledgerView);
      const refunds = network.ledger.refundsOf(paymentId).map(refundView);
      if (otherUrl === null || charges.length > 0 || refunds.length > 0) return { charges, refunds };
      return readOther(otherUrl, paymentId);
    });
    app.get('/stats', async () => ({ calls: network.stats.calls }));
  };
}

async function readOther(url: string, paymentId: string): Promise<unknown> {
  try {
    const response = await fetch(`${url}/ledger?paymentId=${encodeURIComponent(paymentId)}`, {
      signal: AbortSignal.timeout(otherTimeoutMs),
    });
    if (response.ok) return await response.json();
  } catch {
    // The refusal below answers the caller.
  }
  throw new Refusal(503, 'unavailable', 'the ledger of the other network does not answer');
}
