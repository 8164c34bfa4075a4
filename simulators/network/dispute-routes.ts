import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { parseBody, Refusal, requireBearer } from '../server.ts';
import type { Ledger } from './ledger.ts';
import { idempotencyKey } from './charge-routes.ts';
import type { NetworkContext } from './context.ts';
import { once } from './idempotency.ts';
import type { Dispute, DisputeStatus } from './records.ts';
import { disputeView } from './views.ts';

const listQuery = z.object({ paymentId: z.string().min(1).max(128) });
const changesQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(200),
});
const evidenceBody = z.object({ evidence: z.record(z.string().max(128), z.string()) });

export interface DisputeRoute {
  Params: { id: string };
}

/** 150,000 characters of evidence, each up to six bytes in JSON. */
const EVIDENCE_LIMIT_BYTES = 1024 * 1024;
const DECISION_AFTER_MS = 1_000;

/** Registers, behind the service key: list by payment or by change, look up, send evidence and accept. */
export function disputeRoutes(network: NetworkContext): FastifyPluginAsync {
  const { ledger, stats, now } = network;

  return async (app) => {
    app.addHook('onRequest', requireBearer(network.serviceKey));

    app.get('/v1/disputes', async (request) => {
      stats.count('disputeList');
      const { paymentId } = parseBody(listQuery, request.query);
      return { disputes: ledger.disputesOf(paymentId).map(disputeView) };
    });

    app.get('/v1/dispute-changes', async (request) => {
      stats.count('disputeChanges');
      const { after, limit } = parseBody(changesQuery, request.query);
      const changed = ledger.disputesChangedAfter(Number(after ?? 0), limit + 1);
      const disputes = changed.slice(0, limit);
      const last = disputes.at(-1)?.changeNo;
      return {
        disputes: disputes.map(disputeView),
        cursor: last === undefined ? (after ?? null) : String(last),
        more: changed.length > limit,
      };
    });

    app.get<DisputeRoute>('/v1/disputes/:id', async (request) => {
      stats.count('disputeLookup');
      return disputeView(findDispute(ledger, request.params.id));
    });

    app.post<DisputeRoute>(
      '/v1/disputes/:id/evidence',
      { bodyLimit: EVIDENCE_LIMIT_BYTES },
      async (request) => {
        stats.count('disputeEvidence');
        const body = parseBody(evidenceBody, request.body);
        const { id } = request.params;
        return disputeView(
          once(network, `evidence ${id} ${idempotencyKey(request)}`, body, () =>
            submitEvidence(ledger, id, body.evidence, now()),
          ),
        );
      },
    );

    app.post<DisputeRoute>('/v1/disputes/:id/accept', async (request) => {
      stats.count('disputeAccept');
      const { id } = request.params;
      return disputeView(
        once(network, `accept ${id} ${idempotencyKey(request)}`, null, () =>
          ledger.saveDispute({ ...openDispute(ledger, id), status: 'lost', due: null }),
        ),
      );
    });
  };
}

/** Refuses 404 `dispute_not_found`. */
export function findDispute(ledger: Ledger, id: string): Dispute {
  const dispute = ledger.dispute(id);
  if (dispute) return dispute;
  throw new Refusal(404, 'dispute_not_found', 'Nothing is known under this id.');
}

/** Returns a dispute that is not decided yet. Refuses 404 `dispute_not_found`, 409 `dispute_closed`. */
export function openDispute(ledger: Ledger, id: string): Dispute {
  const dispute = findDispute(ledger, id);
  if (dispute.status === 'needsResponse' || dispute.status === 'underReview') return dispute;
  throw new Refusal(409, 'dispute_closed', 'This dispute is closed.');
}

/**
 * Accepts evidence once, before its deadline. The text is only searched for the words that decide in the
 * sandbox, and is not stored. Refuses 409 `evidence_already_submitted`, `evidence_past_due`,
 * `dispute_closed`.
 */
function submitEvidence(ledger: Ledger, id: string, evidence: Record<string, string>, now: number): Dispute {
  const dispute = openDispute(ledger, id);
  if (dispute.status === 'underReview') {
    throw new Refusal(409, 'evidence_already_submitted', 'Evidence was already submitted.');
  }
  if (now >= dispute.evidenceDueAt)
    throw new Refusal(409, 'evidence_past_due', 'The time for evidence is over.');
  const decision = decide(Object.values(evidence));
  const due = decision && { at: now + DECISION_AFTER_MS, status: decision };
  return ledger.saveDispute({ ...dispute, status: 'underReview', due });
}

function decide(texts: string[]): DisputeStatus | null {
  if (texts.some((text) => text.includes('winning_evidence'))) return 'won';
  return texts.some((text) => text.includes('losing_evidence')) ? 'lost' : null;
}
