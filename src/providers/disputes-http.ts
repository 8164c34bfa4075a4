import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { type DisputeNetwork, type NetworkDispute, ProviderUnavailable } from './ports.ts';

export const disputeSchema = z.object({
  disputeId: z.string().min(1).max(128),
  paymentId: z.string(),
  amountCents: z.number().int().min(1),
  reason: z.string().min(1).max(128),
  stage: z.enum(['inquiry', 'chargeback', 'preArbitration']),
  status: z.enum(['needsResponse', 'underReview', 'won', 'lost', 'withdrawn']),
  evidenceDueAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  chargeReference: z.null().default(null),
});

/** Changes of one page. */
const pageSize = 200;
const changesSchema = z.object({
  disputes: z.array(disputeSchema).max(pageSize),
  cursor: z.string().min(1).max(256).nullable(),
  more: z.boolean(),
});

/** Returns the port on the disputes of the network's protocol (docs/simulators.md). */
export function createDisputeNetwork(http: ProviderHttp): DisputeNetwork {
  const path = (id: string, verb = ''): string => `/v1/disputes/${encodeURIComponent(id)}${verb}`;
  const sameDispute = (answer: NetworkDispute | null, id: string): NetworkDispute => {
    if (answer?.disputeId === id) return answer;
    throw new ProviderUnavailable('network', true, 'the answer is about another dispute');
  };
  const act = async (id: string, verb: string, key: string, body?: unknown) => {
    const answer = await http.call({
      method: 'POST',
      path: path(id, verb),
      idempotencyKey: key,
      ...(body === undefined ? {} : { body }),
      schema: disputeSchema,
      expected: [404, 409],
    });
    return answer.status === 404 || answer.status === 409
      ? ('refused' as const)
      : sameDispute(answer.body, id);
  };

  return {
    async listDisputeChanges(cursor) {
      const after = cursor === null ? '' : `&after=${encodeURIComponent(cursor)}`;
      const { body } = await http.call({
        method: 'GET',
        path: `/v1/dispute-changes?limit=${pageSize}${after}`,
        schema: changesSchema,
      });
      return body ?? { disputes: [], cursor, more: false };
    },
    async readDispute(id) {
      const answer = await http.call({
        method: 'GET',
        path: path(id),
        schema: disputeSchema,
        expected: [404],
      });
      return answer.status === 404 ? null : sameDispute(answer.body, id);
    },
    submitEvidence: (id, key, evidence) => act(id, '/evidence', key, { evidence }),
    acceptDispute: (id, key) => act(id, '/accept', key),
  };
}
