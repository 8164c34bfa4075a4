import { entryNamed } from '../domain/entry-named.ts';
import { z } from 'zod';
import { paymentMethods } from '../domain/statuses.ts';
import type { ProviderHttp } from './http.ts';
import type { ListedCharge, ListedPage, ListedRefund, ListedSpan, NetworkListings } from './listings.ts';

/** Objects of one page. */
const pageSize = 500;

const pageSchema = z.object({
  items: z.array(z.unknown()).max(pageSize),
  next: z.string().min(1).max(256).nullable(),
});

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const name = z.string().min(1).max(255);
/** A keyed hash in hex. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const currency = z.string().max(16).default('USD');

const chargeStatuses: Readonly<Record<string, ListedCharge['status']>> = {
  captured: 'captured',
  pending: 'open',
  requires_action: 'open',
  declined: 'none',
  failed: 'none',
  voided: 'none',
};

const chargeSchema = z
  .object({
    chargeId: name,
    key: name,
    paymentId: name,
    amountCents: z.number().int(),
    currency,
    status: z.string().transform((status) => entryNamed(chargeStatuses, status) ?? 'unreadable'),
    createdAt: instant,
    method: z.enum(paymentMethods).nullable().catch(null),
    creation: z
      .object({ reference: z.string().min(1).max(255), keyHash: hash.nullable() })
      .nullable()
      .catch(null),
  })
  .transform(({ chargeId, createdAt, ...charge }): ListedCharge => ({
    ...charge,
    reference: chargeId,
    createdAtMs: createdAt,
  }));

const refundSchema = z
  .object({
    refundId: name,
    key: name,
    paymentId: name,
    amountCents: z.number().int(),
    currency,
    status: z.enum(['pending', 'succeeded', 'failed', 'unreadable']).catch('unreadable'),
    createdAt: instant,
  })
  .transform(({ refundId, createdAt, ...refund }): ListedRefund => ({
    ...refund,
    reference: refundId,
    chargeReference: null,
    createdAtMs: createdAt,
  }));

const disputeSchema = z
  .object({
    disputeId: name,
    paymentId: name,
    amountCents: z.number().int(),
    currency,
    status: z
      .enum(['needsResponse', 'underReview', 'won', 'lost', 'withdrawn', 'unreadable'])
      .catch('unreadable'),
    createdAt: instant,
  })
  .transform(({ disputeId, createdAt, ...dispute }) => ({
    ...dispute,
    reference: disputeId,
    chargeReference: null,
    createdAtMs: createdAt,
  }));

/** Returns the port on the lists of the network's protocol (docs/simulators.md). */
export function createNetworkListings(http: ProviderHttp): NetworkListings {
  const list =
    <Item>(noun: string, schema: z.ZodType<Item>) =>
    async ({ merchantId, fromMs, toMs }: ListedSpan, cursor: string | null): Promise<ListedPage<Item>> => {
      const query = new URLSearchParams({
        merchantId,
        createdFrom: new Date(fromMs).toISOString(),
        createdTo: new Date(toMs).toISOString(),
        limit: String(pageSize),
        ...(cursor === null ? {} : { after: cursor }),
      });
      const { body } = await http.call({
        method: 'GET',
        path: `/v1/listings/${noun}?${query.toString()}`,
        schema: pageSchema,
      });
      const read = (body?.items ?? []).map((item) => schema.safeParse(item).data);
      const items = read.filter((item) => item !== undefined);
      return { items, unreadable: read.length - items.length, next: body?.next ?? null };
    };
  const find = async <Item>(path: string, schema: z.ZodType<Item>): Promise<Item | null> => {
    const { status, body } = await http.call({ method: 'GET', path, schema, expected: [404] });
    return status === 404 ? null : body;
  };
  return {
    findCharge: ({ key }) => find(`/v1/charges/${encodeURIComponent(key)}`, chargeSchema),
    findRefund: async ({ key }) =>
      key === null ? null : find(`/v1/refunds/${encodeURIComponent(key)}`, refundSchema),
    findDispute: (reference) => find(`/v1/disputes/${encodeURIComponent(reference)}`, disputeSchema),
    listCharges: list('charges', chargeSchema),
    listRefunds: list('refunds', refundSchema),
    listDisputes: list('disputes', disputeSchema),
  };
}
