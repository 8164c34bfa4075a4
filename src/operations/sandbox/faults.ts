import { injectWebhookFault, type WebhookFaultMode } from '../../db/payments/sandbox.ts';
import { Refusal } from '../../domain/refusals.ts';
import { type SandboxCall, type SandboxDeps, runSandboxOperation, sandboxPayment } from './operation.ts';

export const faultTargets = ['vault', 'network', 'webhook'] as const;
/** The fault modes of every target. */
export const commonFaultModes = ['timeout', 'lostResponse', 'error', 'slow'] as const;
export const faultModes = [...commonFaultModes, 'duplicateCallback', 'lateSuccess'] as const;

const commonModes: readonly string[] = commonFaultModes satisfies readonly WebhookFaultMode[];

const isCommonMode = (mode: string): mode is WebhookFaultMode => commonModes.includes(mode);

export interface FaultCommand {
  target: (typeof faultTargets)[number];
  mode: (typeof faultModes)[number];
  count: number;
  paymentId?: string | undefined;
}

/** The injected fault; `paymentId` null: for all of the merchant's sandbox payments. */
export interface InjectedFault extends Omit<FaultCommand, 'paymentId'> {
  paymentId: string | null;
}

/**
 * Injects a fault into the next `count` calls to one dependency about this merchant's sandbox payments, or
 * about the named one. Refuses: not_found for a payment that is not the caller's, validation_failed for a
 * mode that the target does not have, sandbox_not_applicable when too many faults are waiting.
 */
export function injectFault(
  deps: SandboxDeps,
  call: SandboxCall,
  command: FaultCommand,
): Promise<{ result: InjectedFault; replayed: boolean }> {
  const { tenant } = call;
  const { merchantId } = tenant;
  const { target, mode, count, paymentId = null } = command;
  return runSandboxOperation(deps, call, {
    operation: 'fault',
    check: async (transaction) => {
      if (paymentId !== null) await sandboxPayment(transaction, tenant, paymentId);
      if (target === 'network') return;
      if (!isCommonMode(mode)) {
        throw new Refusal('validation_failed', {
          field: 'mode',
          message: `mode must be one of ${commonModes.join(', ')} for this target`,
        });
      }
      // Injected in the transaction that claims the key, so that it happens exactly once.
      if (target === 'webhook') {
        await injectWebhookFault(transaction, { merchantId, paymentId, mode, count });
      }
    },
    work: async (operationId) => {
      if (target !== 'webhook') {
        const fault = { merchantId, type: 'fault', target, mode, count, paymentId } as const;
        const { status } = await deps.sandbox.run(operationId, fault);
        if (status === 'refused') throw new Refusal('sandbox_not_applicable');
      }
      return { target, mode, count, paymentId };
    },
  });
}
