import { uuidv7 } from 'uuidv7';
import { Refusal } from '../../domain/refusals.ts';
import { openDispute } from '../../operations/sandbox/disputes.ts';
import { faultModes, faultTargets, injectFault } from '../../operations/sandbox/faults.ts';
import type { SandboxCall, SandboxDeps } from '../../operations/sandbox/operation.ts';
import { advanceClock, decidePayment } from '../../operations/sandbox/payments.ts';
import { maxFaults } from '../parts/form-error.ts';
import type { SandboxControl } from '../payments/page.tsx';
import type { Visit } from '../visit.ts';

/** Returns a member's call of a sandbox operation, with a key of its own. */
const callOf = ({ tenant, actor }: Visit, id: string, sent: object): SandboxCall => ({
  tenant,
  key: `dashboard-${uuidv7()}`,
  id,
  sent: { ...sent },
  actor,
});

/** Injects a fault into the next calls of one dependency. Refuses what the sandbox endpoint refuses. */
export async function injectFaultFromForm(deps: SandboxDeps, visit: Visit): Promise<void> {
  const { form } = visit;
  const target = faultTargets.find((known) => known === form.get('target'));
  const mode = faultModes.find((known) => known === form.get('mode'));
  const count = Number(form.get('count') ?? 'NaN');
  if (target === undefined || mode === undefined) throw new Refusal('validation_failed');
  if (!Number.isInteger(count) || count < 1 || count > maxFaults) {
    throw new Refusal('validation_failed', { field: 'count' });
  }
  const command = { target, mode, count };
  await injectFault(deps, callOf(visit, '', command), command);
}

export type PaymentControlDeps = Parameters<typeof openDispute>[0] &
  Parameters<typeof advanceClock>[0] &
  Parameters<typeof decidePayment>[0];

/** Simulates a payment's outcome. Refuses what the sandbox endpoints refuse. */
export async function simulateOutcome(
  deps: PaymentControlDeps,
  visit: Visit,
  id: string,
  control: SandboxControl,
): Promise<void> {
  if (control === 'dispute') {
    const command = { reason: 'fraudulent' };
    await openDispute(deps, callOf(visit, id, command), command);
  } else if (control === 'hour') {
    const command = { bySeconds: 3_600 };
    await advanceClock(deps, callOf(visit, id, command), command);
  } else {
    const command = { outcome: control };
    await decidePayment(deps, callOf(visit, id, command), command);
  }
}
