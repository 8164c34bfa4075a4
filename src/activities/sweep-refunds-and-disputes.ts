import {
  type UnattendedDispute,
  type UnattendedRefund,
  paymentsDueForDisputes,
  unattendedDisputes,
  unattendedRefunds,
} from '../db/sweep-refunds-and-disputes.ts';
import type { Database } from '../db/database.ts';
import { loadDispute } from '../db/dispute-reads.ts';
import { disputeIdOf } from '../db/disputes.ts';
import type { DisputeNetwork } from '../providers/ports.ts';
import { log } from '@temporalio/activity';

/** What needs a workflow: each one is started unless it runs. */
export interface Unattended {
  refunds: UnattendedRefund[];
  disputes: UnattendedDispute[];
}

/** The activity of the sweep of refunds and disputes, as its workflow sees it. */
export interface RefundAndDisputeSweepActivities {
  findUnattended(): Promise<Unattended>;
}

/** Rows per sweep; what is left waits for the next one. */
const batch = 50;
/** Payments whose disputes the network is asked for per sweep. */
const askedPerSweep = 20;

/** Finds what a lost start, a lost workflow or a lost callback left behind. */
export function createRefundAndDisputeSweepActivities(deps: {
  database: Database;
  network: DisputeNetwork;
  now: () => number;
}): RefundAndDisputeSweepActivities {
  const { database, network } = deps;

  /** Disputes at the network that we do not know. */
  const untold = async (now: Date): Promise<UnattendedDispute[]> => {
    const found: UnattendedDispute[] = [];
    for (const payment of await paymentsDueForDisputes(database, now, askedPerSweep)) {
      try {
        for (const { disputeId: reference } of await network.listDisputes(payment.id)) {
          const id = disputeIdOf(reference);
          if (!(await loadDispute(database, id))) found.push({ ...payment, id, reference });
        }
      } catch (error) {
        // Asked again later; the others need not wait for it.
        log.warn('the network did not tell the disputes of a payment', { error });
        break;
      }
    }
    return found;
  };

  return {
    findUnattended: async () => {
      const now = new Date(deps.now());
      const refunds = await unattendedRefunds(database, now, batch);
      const disputes = await unattendedDisputes(database, now, batch);
      return { refunds, disputes: [...disputes, ...(await untold(now))] };
    },
  };
}
