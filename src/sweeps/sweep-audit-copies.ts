import pMap from 'p-map';
import type { Logger } from 'pino';
import { auditAfter } from '../db/server/audit.ts';
import {
  type AuditCopy,
  auditCopiesAreDue,
  headsToLog,
  nextAuditCopies,
  recordCopied,
} from '../db/server/audit-copies.ts';
import type { Database } from '../db/server/database.ts';
import type { AuditEntry } from '../domain/audit.ts';
import { type Sweep, everythingIsDue } from './sweep.ts';

/** Merchants per turn, entries per call, and calls per merchant in a turn. */
const logsOfTurn = 1_000;
const entriesOfCall = 200;
const callsOfTurn = 20;
const atOnce = 4;

/**
 * Returns the sweep that copies audit logs out of the database. It writes the end of each changed audit log
 * to the service's log, at most once an hour, and sends every entry to the sink, if there is one. The entries
 * wait in their table, so that no writer waits and nothing is lost while the sink fails. ADR 0065.
 */
export function createAuditCopySweep(deps: {
  database: Database;
  sink: { send(entries: readonly AuditEntry[]): Promise<void> } | null;
  everyMs: number;
  logger: Pick<Logger, 'info'>;
}): Sweep {
  const { database, sink, logger } = deps;
  const condition = auditCopiesAreDue(logsOfTurn, sink !== null);
  let after: string | null = null;

  async function send(to: NonNullable<typeof sink>, copy: AuditCopy, going: () => boolean): Promise<void> {
    let { sent } = copy;
    for (let calls = 0; calls < callsOfTurn && going(); calls += 1) {
      const entries = await auditAfter(database, copy.merchantId, sent, entriesOfCall);
      const last = entries.at(-1);
      if (!last) return;
      await to.send(entries);
      sent = last.sequence;
      await recordCopied(database, copy.merchantId, sent);
      if (entries.length < entriesOfCall) return;
    }
  }

  return {
    name: 'audit copies',
    role: 'payments',
    everyMs: deps.everyMs,
    conditions: [condition],
    run: async (going, isDue = everythingIsDue) => {
      if (!isDue(condition)) return;
      const copies = await nextAuditCopies(database, after, logsOfTurn);
      after = copies.length < logsOfTurn ? null : (copies.at(-1)?.merchantId ?? null);
      const ids = copies.map(({ merchantId }) => merchantId);
      for (const head of await headsToLog(database, ids)) logger.info(head, 'the end of an audit log');
      if (sink === null) return;
      const faults: unknown[] = [];
      await pMap(
        copies.filter(({ sequence, sent }) => sequence > sent),
        async (copy) => {
          if (going()) await send(sink, copy, going).catch((error: unknown) => faults.push(error));
        },
        { concurrency: atOnce },
      );
      if (faults.length > 0) throw faults[0];
    },
  };
}
