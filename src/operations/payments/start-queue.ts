import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { type Database, isDatabaseUnavailable } from '../../db/server/database.ts';
import { markWorkflowsStarted } from '../../db/payments/payments.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { StartablePayment } from '../../temporal/contract/start-payment.ts';

/** The workflows that are still to be started of payments that were created here. */
export interface StartQueue {
  /** No further payment should be created: Temporal is not following. */
  readonly isFull: boolean;
  /** Takes a created payment on; returns at once. */
  add(payment: StartablePayment): void;
  /** Does what a customer waits for; while it goes on, only few workflows are started. */
  first<Result>(pay: () => Promise<Result>): Promise<Result>;
  /** Waits until all is started that was taken on, `waitMs` at most; the sweep starts the rest. */
  drain(waitMs: number): Promise<void>;
}

/** What waits at most: some ten seconds' work, so that a start that is due soon is never far behind. */
const longestQueue = 1_000;

/**
 * Starts at a time: few, because pays come first at Temporal and at its database, and what is on its way when
 * a pay comes is in front of it; fewer beside pays. More at once start no more in a second.
 */
const atOnce = 3;
const besidePays = 1;

/** So many that fail one after the other say that Temporal is away. */
const mostFailures = 8;

/** Started payments are marked together, this often, in ms, this many at a time. */
const markEveryMs = 100;
const markAtOnce = 200;

/**
 * Returns a queue that starts the workflows of created payments beside their requests. Nobody waits for it: a
 * call that needs the workflow earlier brings the start along, and what is lost with the process is found by
 * the sweep.
 */
export function createStartQueue(deps: {
  database: Database;
  workflows: Pick<PaymentWorkflows, 'start'>;
  logger: Logger;
}): StartQueue {
  const { database, workflows, logger } = deps;
  const queue = new PQueue({ concurrency: atOnce });
  const started: string[] = [];
  let pays = 0;
  let marking: Promise<void> | null = null;
  let failures = 0;

  const start = async (payment: StartablePayment): Promise<void> => {
    try {
      await workflows.start(payment);
      failures = 0;
      started.push(payment.id);
      marking ??= mark();
    } catch {
      failures += 1;
      logger.warn({ paymentId: payment.id }, 'workflow not started; it will be');
      if (failures < mostFailures || queue.size === 0) return;
      // Temporal is away: what waits is in the rows already.
      logger.warn({ payments: queue.size }, 'workflows not started; they will be');
      queue.clear();
    }
  };

  const mark = async (): Promise<void> => {
    await sleep(markEveryMs);
    try {
      while (started.length > 0) await markWorkflowsStarted(database, started.splice(0, markAtOnce));
    } catch (error) {
      logger[isDatabaseUnavailable(error) ? 'warn' : 'error']({ err: error }, 'started workflows not marked');
    } finally {
      marking = null;
    }
  };

  return {
    get isFull() {
      return queue.size >= longestQueue;
    },
    add: (payment) => void queue.add(() => start(payment)),
    first: async (pay) => {
      pays += 1;
      queue.concurrency = besidePays;
      try {
        return await pay();
      } finally {
        pays -= 1;
        if (pays === 0) queue.concurrency = atOnce;
      }
    },
    drain: async (waitMs) => {
      const work = async (): Promise<void> => {
        await queue.onIdle();
        await marking;
      };
      await Promise.race([work(), sleep(waitMs, undefined, { ref: false })]);
    },
  };
}
