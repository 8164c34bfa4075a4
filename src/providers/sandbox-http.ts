import { z } from 'zod';
import { disputeSchema } from './disputes-http.ts';
import type { ProviderHttp } from './http.ts';
import type { SandboxControls } from './ports.ts';

/** What a sandbox orders is told by status alone. */
const anything = z.unknown();

/** The simulators' controls (docs/simulators.md, "Ordering outcomes and faults") behind the port. */
export function createSandboxControls(network: ProviderHttp, vault: ProviderHttp): SandboxControls {
  const order = async (path: string, body: unknown, refusedBy: number[], idempotencyKey?: string) => {
    const { status } = await network.call({
      method: 'POST',
      path,
      body,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      schema: anything,
      expected: refusedBy,
    });
    return refusedBy.includes(status) ? ('refused' as const) : ('done' as const);
  };
  const at = encodeURIComponent;

  return {
    orderCharge: (key, body) => order(`/v1/simulate/charges/${at(key)}`, body, [409]),
    answerChallenge: (key, result) => order(`/v1/simulate/challenges/${at(key)}`, { result }, [404, 409]),
    moveClock: async (paymentId, checkoutExpiresAt) => {
      await order('/v1/simulate/clock', { paymentId, checkoutExpiresAt }, []);
    },
    async orderRefund(key, body) {
      const { status } = await network.call({
        method: 'POST',
        path: `/v1/simulate/refunds/${at(key)}`,
        body,
        schema: anything,
        expected: [404, 409],
      });
      if (status === 404) return 'unknown';
      return status === 409 ? 'refused' : 'done';
    },
    async openDispute(key, { paymentId, reason, stage, amountCents, dueInSeconds }) {
      const answer = await network.call({
        method: 'POST',
        path: '/v1/simulate/disputes',
        idempotencyKey: key,
        body: {
          paymentId,
          reason,
          ...(stage === null ? {} : { stage }),
          ...(amountCents === null ? {} : { amountCents }),
          ...(dueInSeconds === null ? {} : { dueInSeconds }),
        },
        schema: disputeSchema,
        expected: [409],
      });
      return answer.body ?? 'refused';
    },
    resolveDispute: (id, key, outcome) =>
      order(`/v1/simulate/disputes/${at(id)}/resolve`, { outcome }, [404, 409], key),
    async orderFault(target, { mode, count, paymentId }) {
      const { status } = await (target === 'vault' ? vault : network).call({
        method: 'POST',
        path: target === 'vault' ? '/service/faults' : '/v1/faults',
        body: { mode, count, ...(paymentId === null ? {} : { paymentId }) },
        schema: anything,
        expected: [409],
      });
      return status === 409 ? 'refused' : 'done';
    },
  };
}
