import { uuidv7 } from 'uuidv7';
import type { SandboxControl } from '../payments/page.tsx';
import type { Principal } from '../../db/merchants/api-keys.ts';
import { loadSettings } from '../../db/merchants/merchants.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { openDispute } from '../../api/sandbox/disputes.ts';
import { faults } from '../../api/sandbox/faults.ts';
import { advanceClock, outcome } from '../../api/sandbox/payments.ts';
import type { SandboxCall } from '../../api/sandbox/sandbox-route.ts';
import type { Visit } from '../visit.ts';

/** What the sandbox endpoints know a caller by, for a member of the dashboard. */
async function callOf(deps: ApiDeps, visit: Visit, id: string, json: unknown): Promise<SandboxCall> {
  const { tenant, actor } = visit;
  const settings = await deps.tenants.read(tenant, (database) => loadSettings(database, tenant));
  if (!settings) throw new Refusal('not_found');
  const principal: Principal = { ...settings, keyId: visit.session.member.id, connector: null };
  return { principal, id, key: `dashboard-${uuidv7()}`, json, actor };
}

/** Orders trouble for the next calls, as the sandbox endpoint does. Refuses as it does. */
export async function orderFault(deps: ApiDeps, visit: Visit, json: unknown): Promise<void> {
  await faults(deps).run(await callOf(deps, visit, '', json));
}

/** Orders what becomes of a payment, as the sandbox endpoints do. Refuses as they do. */
export async function orderOnPayment(
  deps: ApiDeps,
  visit: Visit,
  id: string,
  control: SandboxControl,
): Promise<void> {
  if (control === 'dispute') {
    await openDispute(deps).run(await callOf(deps, visit, id, { reason: 'fraudulent' }));
  } else if (control === 'hour') {
    await advanceClock(deps).run(await callOf(deps, visit, id, { bySeconds: 3_600 }));
  } else {
    await outcome(deps).run(await callOf(deps, visit, id, { outcome: control }));
  }
}
