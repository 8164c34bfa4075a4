import pMap from 'p-map';
import type { Logger } from 'pino';
import { collectMails, collectionsAreDue } from '../db/mail/mail-collection.ts';
import { dueMailServers, mailsAreDue } from '../db/mail/mails.ts';
import type { Tenant } from '../db/payments/payments.ts';
import type { Database } from '../db/server/database.ts';
import type { SentMails } from '../mail/send-mails.ts';
import type { SweepAlerts } from './alerts.ts';
import { alertAfterFailures } from './back-off.ts';
import { checksAtOnce } from './process-due.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Mail servers per turn, and the most rounds in which a turn reads the event logs. */
const serversAtOnce = 200;
const maxRounds = 20;
/** How often the outbox is read, in ms: a receipt follows its payment within seconds. */
const everyMs = 3_000;

interface MailSweepDeps {
  database: Database;
  send: (tenant: Tenant, going: () => boolean) => Promise<SentMails>;
  alerts: SweepAlerts;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** Returns the sweep that writes mails for the events of merchants with a mail server. ADR 0049. */
export function createMailCollectionSweep({ database }: Pick<MailSweepDeps, 'database'>): Sweep {
  return {
    name: 'mail collection',
    role: 'webhooks',
    everyMs,
    conditions: [collectionsAreDue],
    run: async (going, isDue = everythingIsDue) => {
      if (!isDue(collectionsAreDue)) return;
      let rounds = 0;
      while (going() && rounds < maxRounds && (await collectMails(database))) rounds += 1;
    },
  };
}

/**
 * Returns the sweep that sends waiting mails. Servers that failed have a sweep of their own, so that servers
 * that hang do not delay the mails of other merchants.
 */
export function createMailSweep(deps: MailSweepDeps, failing: boolean): Sweep {
  const name = failing ? 'failing mail servers' : 'mail';
  const condition = mailsAreDue(failing);
  return {
    name,
    role: 'webhooks',
    everyMs,
    conditions: [condition],
    run: async (going, isDue = everythingIsDue) => {
      if (!isDue(condition)) return;
      const due = await dueMailServers(deps.database, failing, serversAtOnce);
      const faults: unknown[] = [];
      await pMap(
        due,
        async (tenant) => {
          if (going()) await runSession(deps, tenant, going).catch((error: unknown) => faults.push(error));
        },
        { concurrency: failing ? 2 * checksAtOnce : checksAtOnce },
      );
      if (faults.length > 0) throw faults[0];
    },
  };
}

async function runSession(deps: MailSweepDeps, tenant: Tenant, going: () => boolean): Promise<void> {
  const { alerts, logger } = deps;
  const { sent, aside, failures, fault, recovered } = await deps.send(tenant, going);
  const item = { id: `${tenant.merchantId} ${tenant.environment}`, merchantId: tenant.merchantId };
  if (sent > 0 || aside > 0) logger.info({ ...tenant, sent, aside }, 'mails were sent');
  if (fault !== null) {
    logger.warn({ ...tenant, ...fault, failures }, 'a mail server failed; its mails wait');
    if (failures >= alertAfterFailures) {
      await alerts.raise('mail', item, { name: 'MailFailure', code: fault.problem });
    }
  }
  if (recovered) await alerts.clear('mail', item.id);
}
