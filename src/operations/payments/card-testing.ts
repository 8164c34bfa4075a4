import { clearMarks, markRefusal } from '../../db/merchants/card-testing.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { TooManyDeclines } from '../../db/payments/reservations.ts';
import { recordChange } from '../../db/server/audit.ts';
import { clearAlert, raiseAlert } from '../../db/server/operator-alerts.ts';
import { type Database, inTransaction } from '../../db/server/database.ts';
import { insertEvent } from '../../db/webhooks/events.ts';
import type { By } from '../../domain/audit.ts';
import { Refusal } from '../../domain/refusals.ts';

/** The name of the alerts. */
const sweep = 'card testing';
/** Returns the subject of a tenant's alert. */
const subjectOf = ({ merchantId, environment }: Tenant): string => `${merchantId} ${environment}`;

/** Retry-After of the refusal, in seconds: by then some of the declines may have left their window. */
const retryAfterSeconds = 60;

/**
 * Refuses a pay because too many cards were declined: too_many_declines (429). The first refusal of a
 * dimension marks the dimension for the merchant, alerts the operator, and adds the event `risk.cardTesting`.
 * ADR 0053.
 */
export async function refuseDeclines(
  { database, now }: { database: Database; now: () => number },
  { merchantId, environment }: Tenant,
  { dimension, subject }: TooManyDeclines,
): Promise<never> {
  const tenant = { merchantId, environment };
  await inTransaction(database, async (transaction) => {
    const { since, isNew } = await markRefusal(transaction, tenant, { dimension, subject });
    if (!isNew) return;
    const alert = { sweep, subject: subjectOf(tenant), merchantId, detail: dimension, since };
    await raiseAlert(transaction, alert);
    await insertEvent(transaction, {
      payment: { id: null, ...tenant },
      type: 'risk.cardTesting',
      sequence: 0,
      stateSeq: null,
      previousStatus: null,
      data: { dimension, subject: shownSubject(dimension, subject), since: since.toISOString() },
      at: new Date(now()),
    });
  });
  throw new Refusal('too_many_declines', { retryAfterSeconds });
}

/** Returns the subject as merchants may see it, without hashes. */
export const shownSubject = (dimension: TooManyDeclines['dimension'], subject: string): string | null =>
  dimension === 'key' || dimension === 'bin' ? subject : null;

/** Clears a tenant's marks and its declines, and the alert. Returns how many marks were open. */
export async function clearCardTesting(database: Database, tenant: Tenant, by: By): Promise<number> {
  const { merchantId, environment } = tenant;
  return inTransaction(database, async (transaction) => {
    const cleared = await clearMarks(transaction, tenant);
    await clearAlert(transaction, sweep, subjectOf(tenant), by.at);
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment,
      action: 'risk.cleared',
      subject: { type: 'settings', id: environment },
      before: { marks: cleared },
      after: { marks: 0 },
    });
    return cleared;
  });
}
