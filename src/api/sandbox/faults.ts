import { orderWebhookFault, type WebhookFaultMode } from '../../db/payments/sandbox.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../deps.ts';
import { SandboxFaultBody, commonFaultModes } from './bodies.ts';
import { sandboxPayment, sandboxRoute } from './sandbox-route.ts';

const commonModes: readonly string[] = commonFaultModes satisfies readonly WebhookFaultMode[];

const isCommonMode = (mode: string): mode is WebhookFaultMode => commonModes.includes(mode);

/**
 * POST /v1/sandbox/faults: 200 `{data: {target, mode, count, paymentId}}`. Trouble for the next `count` calls
 * of one dependency about this merchant's sandbox payments, or the one that is named. Refuses: not_found for
 * a payment that is not the caller's, validation_failed for a mode the target does not have,
 * sandbox_not_applicable when too many are waiting.
 */
export const faults = (deps: ApiDeps) =>
  sandboxRoute(deps, {
    operation: 'fault',
    schema: SandboxFaultBody,
    check: async (transaction, { principal, body }) => {
      const { target, mode, count, paymentId = null } = body;
      if (paymentId !== null) await sandboxPayment(transaction, principal, paymentId);
      if (target === 'network') return;
      if (!isCommonMode(mode)) {
        throw new Refusal('validation_failed', {
          field: 'mode',
          message: `mode must be one of ${commonModes.join(', ')} for this target`,
        });
      }
      // In the transaction of the key: ordered exactly once.
      if (target === 'webhook') {
        await orderWebhookFault(transaction, { merchantId: principal.merchantId, paymentId, mode, count });
      }
    },
    work: async ({ principal, body }, operationId) => {
      const { merchantId } = principal;
      const { target, mode, count, paymentId = null } = body;
      if (target !== 'webhook') {
        const ordered = { merchantId, type: 'fault', target, mode, count, paymentId } as const;
        const { status } = await deps.sandbox.run(operationId, ordered);
        if (status === 'refused') throw new Refusal('sandbox_not_applicable');
      }
      return { target, mode, count, paymentId };
    },
  });
