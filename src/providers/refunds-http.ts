import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { ProviderUnavailable } from './ports.ts';
import type { NetworkRefund, RefundNetwork, RefundRequest } from './refund-port.ts';

const refundSchema = z.object({
  key: z.string(),
  paymentId: z.string(),
  amountCents: z.number().int(),
  status: z.enum(['pending', 'succeeded', 'failed']),
  failureCode: z.string().nullable(),
});

/** Returns the port on the refunds of the network's protocol (docs/simulators.md). */
export function createRefundNetwork(http: ProviderHttp): RefundNetwork {
  const refundPath = (key: string, verb = ''): string => `/v1/refunds/${encodeURIComponent(key)}${verb}`;

  /** Returns the refund. Throws for an answer about another refund or amount, which proves nothing. */
  const sameRefund = (
    answer: NetworkRefund | null,
    asked: { key: string; amountCents?: number },
  ): NetworkRefund => {
    if (
      answer?.key !== asked.key ||
      (asked.amountCents !== undefined && answer.amountCents !== asked.amountCents)
    ) {
      throw new ProviderUnavailable('network', true, 'the answer is about another refund');
    }
    return answer;
  };
  const bodyOf = ({ paymentId, chargeKey, amountCents }: RefundRequest) => ({
    paymentId,
    chargeKey,
    amountCents,
  });

  return {
    async refund(request) {
      const answer = await http.call({
        method: 'POST',
        path: '/v1/refunds',
        idempotencyKey: request.key,
        body: bodyOf(request),
        schema: refundSchema,
        expected: [404, 409],
      });
      return answer.status === 404 || answer.status === 409 ? 'refused' : sameRefund(answer.body, request);
    },
    async lookupRefund({ key }) {
      const answer = await http.call({
        method: 'GET',
        path: refundPath(key),
        schema: refundSchema,
        expected: [404],
      });
      return answer.status === 404 ? null : sameRefund(answer.body, { key });
    },
    async voidRefund(request) {
      const answer = await http.call({
        method: 'POST',
        path: refundPath(request.key, '/void'),
        body: bodyOf(request),
        schema: refundSchema,
      });
      return sameRefund(answer.body, request);
    },
    elsewhere: null,
  };
}
