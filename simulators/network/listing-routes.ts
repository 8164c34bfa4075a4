import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parseBody, Refusal, requireBearer } from '../server.ts';
import type { NetworkContext } from './context.ts';
import { chargeView, disputeView, refundView } from './views.ts';

const listingQuery = z.object({
  merchantId: z.string().min(1).max(128),
  createdFrom: z.iso.datetime().transform((text) => Date.parse(text)),
  createdTo: z.iso.datetime().transform((text) => Date.parse(text)),
  /** The name of the last object of the previous page. */
  after: z.string().min(1).max(255).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(500),
});
type ListingQuery = z.infer<typeof listingQuery>;

/**
 * Registers, behind the service key, lists of one merchant's objects created in a span of time, oldest first.
 */
export function listingRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger, stats, tables } = network;
  /** A refund or dispute belongs to the merchant of its charge. One without a charge has no merchant. */
  const ownerOf = ({ chargeKey }: { chargeKey: string }): string =>
    tables.charges.get(chargeKey)?.merchantId ?? '';

  return async (app) => {
    app.addHook('onRequest', requireBearer(network.serviceKey));

    app.get('/v1/listings/charges', async (request) => {
      stats.count('chargeListing');
      const query = parseBody(listingQuery, request.query);
      const url = network.publicUrl();
      return pageOf(tables.charges.values(), query, {
        nameOf: ({ key }) => key,
        ownerOf: ({ merchantId }) => merchantId,
        show: (charge) => chargeView(ledger.charge(charge.key) ?? charge, url),
      });
    });

    app.get('/v1/listings/refunds', async (request) => {
      stats.count('refundListing');
      const query = parseBody(listingQuery, request.query);
      return pageOf(tables.refunds.values(), query, {
        nameOf: ({ key }) => key,
        ownerOf,
        show: (refund) => refundView(ledger.refund(refund.key) ?? refund),
      });
    });

    app.get('/v1/listings/disputes', async (request) => {
      stats.count('disputeListing');
      const query = parseBody(listingQuery, request.query);
      return pageOf(tables.disputes.values(), query, {
        nameOf: ({ disputeId }) => disputeId,
        ownerOf,
        show: (dispute) => disputeView(ledger.dispute(dispute.disputeId) ?? dispute),
      });
    });
  };
}

/** Returns one page in the order of creation. Refuses 400 `invalid_request` for an unknown `after`. */
function pageOf<Item extends { createdAt: number }>(
  all: Iterable<Item>,
  { merchantId, createdFrom, createdTo, after, limit }: ListingQuery,
  of: { nameOf: (item: Item) => string; ownerOf: (item: Item) => string; show: (item: Item) => object },
): { items: object[]; next: string | null } {
  const page: Item[] = [];
  let isBehind = after === undefined;
  for (const item of all) {
    if (!isBehind) {
      isBehind = of.nameOf(item) === after;
      continue;
    }
    const isWithin = item.createdAt >= createdFrom && item.createdAt < createdTo;
    if (!isWithin || of.ownerOf(item) !== merchantId) continue;
    page.push(item);
    if (page.length > limit) break;
  }
  if (!isBehind) throw new Refusal(400, 'invalid_request', 'Nothing is known under this name.', 'after');
  const shown = page.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(of.show),
    next: page.length > limit && last !== undefined ? of.nameOf(last) : null,
  };
}
