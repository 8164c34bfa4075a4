import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { ProviderUnavailable } from './ports.ts';
import {
  type DisputeNetwork,
  DisputeUnreadable,
  type NetworkDispute,
  type UnreadableDispute,
} from './dispute-port.ts';
import { plausibleDispute } from './plausible-dispute.ts';

export const disputeSchema = z.object({
  disputeId: z.string().min(1).max(128),
  paymentId: z.string().max(128),
  amountCents: z.number().int().min(1),
  reason: z.string().min(1).max(128),
  stage: z.enum(['inquiry', 'chargeback', 'preArbitration']),
  status: z.enum(['needsResponse', 'underReview', 'won', 'lost', 'withdrawn']),
  evidenceDueAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  chargeReference: z.null().default(null),
});

const { stage: stages, status: statuses } = disputeSchema.shape;
/** The fields that show why a dispute cannot be read. */
const marksSchema = z.object({
  currency: z.string().default('USD'),
  stage: z.string(),
  status: z.string(),
});
const nameSchema = z.object({
  disputeId: z.string().min(1).max(128).catch(''),
  paymentId: z.string().max(128).nullable().catch(null),
});

/** Returns the dispute of an answer. Throws `DisputeUnreadable`. */
function disputeIn(answer: unknown): NetworkDispute {
  const marks = marksSchema.safeParse(answer).data;
  if (marks && marks.currency !== 'USD') throw new DisputeUnreadable('other_currency');
  if (marks && !(stages.safeParse(marks.stage).success && statuses.safeParse(marks.status).success)) {
    throw new DisputeUnreadable('unknown_state');
  }
  const dispute = disputeSchema.safeParse(answer);
  if (!dispute.success) throw new DisputeUnreadable('malformed');
  return plausibleDispute(dispute.data);
}

/** Returns the dispute of a list's entry, or why it cannot be read. */
function lineOf(line: unknown): NetworkDispute | UnreadableDispute {
  try {
    return disputeIn(line);
  } catch (error) {
    if (!(error instanceof DisputeUnreadable)) throw error;
    const name = nameSchema.safeParse(line).data ?? { disputeId: '', paymentId: null };
    return { ...name, chargeReference: null, problem: error.problem };
  }
}

/** Disputes of one page. */
const pageSize = 200;
const changesSchema = z.object({
  disputes: z.array(z.unknown()).max(pageSize),
  cursor: z.string().min(1).max(256).nullable(),
  more: z.boolean(),
});

/** Returns the port on the disputes of the network's protocol (docs/simulators.md). */
export function createDisputeNetwork(http: ProviderHttp): DisputeNetwork {
  const path = (id: string, verb = ''): string => `/v1/disputes/${encodeURIComponent(id)}${verb}`;
  const sameDispute = (answer: unknown, id: string): NetworkDispute => {
    const dispute = disputeIn(answer);
    if (dispute.disputeId === id) return dispute;
    throw new ProviderUnavailable('network', true, 'the answer is about another dispute');
  };
  const act = async (id: string, verb: string, key: string, body?: unknown) => {
    const answer = await http.call({
      method: 'POST',
      path: path(id, verb),
      idempotencyKey: key,
      ...(body === undefined ? {} : { body }),
      schema: z.unknown(),
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
      if (!body) return { disputes: [], unreadable: [], cursor, more: false };
      const lines = body.disputes.map(lineOf);
      return {
        disputes: lines.filter((line) => 'status' in line),
        unreadable: lines.filter((line) => 'problem' in line),
        cursor: body.cursor,
        more: body.more,
      };
    },
    async readDispute(id) {
      const answer = await http.call({
        method: 'GET',
        path: path(id),
        schema: z.unknown(),
        expected: [404],
      });
      return answer.status === 404 ? null : sameDispute(answer.body, id);
    },
    submitEvidence: (id, key, evidence) => act(id, '/evidence', key, { evidence }),
    acceptDispute: (id, key) => act(id, '/accept', key),
  };
}
