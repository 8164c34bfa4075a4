import { setTimeout as sleep } from 'node:timers/promises';
import type { Keyring } from '../../crypto/keyring.ts';
import { type Tenant, findPayment } from '../../db/payments/payments.ts';
import { recordChange } from '../../db/server/audit.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { Actor } from '../../domain/audit.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { SandboxWorkflows } from '../../temporal/clients/sandbox.ts';
import { type IdempotencyDeps, bodyHash, runOperation } from '../idempotency.ts';

/** A call of a sandbox operation by a merchant or by a member of its dashboard. */
export interface SandboxCall {
  tenant: Tenant;
  /** The Idempotency-Key. */
  key: string;
  /** The id of the operation's object; empty when there is none. */
  id: string;
  /** The command as it was sent, for the key's hash and the audit log. */
  sent: Record<string, unknown>;
  actor: Actor;
}

export interface SandboxDeps extends IdempotencyDeps {
  keyring: Keyring;
  sandbox: SandboxWorkflows;
}

/**
 * Runs a sandbox operation once per key; each repeat gets the same result. `check` runs in the transaction
 * that claims the key, and may refuse. docs/sandbox.md, AMB-48.
 */
export function runSandboxOperation<Answer>(
  deps: SandboxDeps,
  { tenant, key, id, sent, actor }: SandboxCall,
  steps: {
    operation: string;
    check: (transaction: Queryable) => Promise<void>;
    work: (operationId: string) => Promise<Answer>;
  },
): Promise<{ result: Answer; replayed: boolean }> {
  const { merchantId, environment } = tenant;
  const operation = `sandbox_${steps.operation}`;
  const claim = { merchantId, environment, operation, key, bodyHash: bodyHash({ id, body: sent }) };
  return runOperation<Answer>(deps, claim, {
    check: async (transaction) => {
      await steps.check(transaction);
      await recordChange(transaction, {
        actor,
        at: new Date(deps.now()),
        merchantId,
        environment,
        action: `sandbox.${steps.operation}`,
        subject: { type: 'sandbox', id: id || steps.operation },
        before: null,
        after: sent,
      });
    },
    work: steps.work,
  });
}

/**
 * Returns the tenant's payment. Refuses: not_found (404); sandbox_not_applicable (409) for one that the
 * simulators do not hold.
 */
export async function sandboxPayment(
  database: Queryable,
  tenant: Tenant,
  id: string,
): Promise<PaymentRecord> {
  const payment = await findPayment(database, tenant, id);
  if (!payment) throw new Refusal('not_found');
  if (payment.connectorId !== null) throw new Refusal('sandbox_not_applicable');
  return payment;
}

/** How long a response waits for the effect of its order, and the pause between two reads, in ms. */
const effectWaitMs = 5_000;
const pollEveryMs = 100;

/**
 * Reads until `isDone` is true, so that the response shows the effect of an order, for 5 s at most. Returns
 * the last read row.
 */
export async function pollUntil<Row>(
  read: () => Promise<Row>,
  isDone: (row: Row) => boolean,
  now: () => number,
): Promise<Row> {
  const end = now() + effectWaitMs;
  for (;;) {
    const row = await read();
    if (isDone(row) || now() >= end) return row;
    await sleep(pollEveryMs);
  }
}
