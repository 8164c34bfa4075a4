import { z } from 'zod';
import { disputeSchema } from './disputes-http.ts';
import type { ProviderHttp } from './http.ts';
import type { SandboxControls } from './sandbox-controls.ts';

/** The simulators answer orders with a status only. */
const anything = z.unknown();

/** Returns the port on the simulators' controls (docs/simulators.md, "Ordering outcomes and faults"). */
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
    simulateCharge: (merchantId, key, body) =>
      order(`/v1/simulate/charges/${at(key)}`, { merchantId, ...body }, [409]),
    answerChallenge: (merchantId, key, result) =>
      order(`/v1/simulate/challenges/${at(key)}`, { merchantId, result }, [404, 409]),
    moveClock: async (merchantId, paymentId, checkoutExpiresAt) => {
      await order('/v1/simulate/clock', { merchantId, paymentId, checkoutExpiresAt }, []);
    },
    async simulateRefund(merchantId, key, body) {
      const { status } = await network.call({
        method: 'POST',
        path: `/v1/simulate/refunds/${at(key)}`,
        body: { merchantId, ...body },
        schema: anything,
        expected: [404, 409],
      });
      if (status === 404) return 'unknown';
      return status === 409 ? 'refused' : 'done';
    },
    async openDispute(merchantId, key, { paymentId, reason, stage, amountCents, dueInSeconds }) {
      const answer = await network.call({
        method: 'POST',
        path: '/v1/simulate/disputes',
        idempotencyKey: key,
        body: {
          merchantId,
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
    resolveDispute: (merchantId, id, key, outcome) =>
      order(`/v1/simulate/disputes/${at(id)}/resolve`, { merchantId, outcome }, [404, 409], key),
    async injectFault(merchantId, target, { mode, count, paymentId }) {
      const { status } = await (target === 'vault' ? vault : network).call({
        method: 'POST',
        path: target === 'vault' ? '/service/faults' : '/v1/faults',
        body: { merchantId, mode, count, ...(paymentId === null ? {} : { paymentId }) },
        schema: anything,
        expected: [409],
      });
      return status === 409 ? 'refused' : 'done';
    },
  };
}
