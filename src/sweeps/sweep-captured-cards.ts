import {
  type CapturedCards,
  capturedCardsAreDue,
  dueCapturedCards,
  recordCapturedCardChecks,
} from '../db/payments/captured-cards.ts';
import type { Database } from '../db/server/database.ts';
import type { Connectors } from '../providers/connectors.ts';
import type { SweepAlerts } from './alerts.ts';
import { nextChecks } from './process-due.ts';
import { createQueueSweep } from './queue-sweep.ts';
import type { Sweep } from './sweep.ts';

/** Returns the sweep that deletes cards at vaults once their payment accepts no card any more. ADR 0023. */
export function createCapturedCardSweep(deps: {
  database: Database;
  connectors: Connectors;
  alerts: SweepAlerts;
  now: () => number;
  everyMs: number;
}): Sweep {
  const { database, connectors } = deps;
  return createQueueSweep<CapturedCards>(
    'provider',
    {
      name: 'captured cards',
      condition: capturedCardsAreDue,
      due: (now, limit) => dueCapturedCards(database, now, limit),
      check: async (payment) => {
        const { vault } = await connectors.portsOf(payment);
        await vault.forgetCards?.(payment.vaultId);
        return null;
      },
      record: (checked) => recordCapturedCardChecks(database, nextChecks(checked)),
    },
    deps,
  );
}
