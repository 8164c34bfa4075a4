import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { type Database, isDatabaseUnavailable } from '../../db/server/database.ts';
import { markWorkflowsStarted } from '../../db/payments/payments.ts';
import type { PaymentWorkflows } from '../../temporal/clients/payments.ts';
import type { StartablePayment } from '../../temporal/contract/start-payment.ts';

/** Starts the workflows of payments that this process created. */
export interface StartQueue {
  /** True when no further payment should be created because Temporal cannot keep up. */
  readonly isFull: boolean;
  /** Adds a created payment; returns at once. */
  add(payment: StartablePayment): void;
  /**
   * Runs a pay, for which a customer waits. Meanwhile fewer workflows are started. If the payment still waits
   * for its start, the pay starts its workflow; when the pay fails, the payment waits again.
   */
  prioritize<Result>(paymentId: string, pay: () => Promise<Result>): Promise<Result>;
  /** Waits until all added payments are started, `waitMs` at most; the sweep starts the rest. */
  drain(waitMs: number): Promise<void>;
}

/** The most waiting payments: about ten seconds' work, so that no start is late for its first deadline. */
const longestQueue = 1_000;

/**
 * Concurrent starts, and those while pays run. They are few, because a pay waits behind them at Temporal and
 * its database. More concurrent starts would not start more in a second.
 */
const atOnce = 3;
const atOnceDuringPays = 1;

/** After this many failures in a row Temporal counts as unavailable. */
const maxFailures = 8;

/** Started payments are marked together: how often, in ms, and how many at a time. */
const markEveryMs = 100;
const markAtOnce = 200;

/**
 * Returns a queue that starts the workflows of created payments in the background. A call that needs a
 * workflow sooner starts it itself (update-with-start); the sweep starts what a crash lost.
 */
export function createStartQueue(deps: {
  database: Database;
  workflows: Pick<PaymentWorkflows, 'start'>;
  logger: Logger;
}): StartQueue {
  const { database, workflows, logger } = deps;
  const queue = new PQueue({ concurrency: atOnce });
  /** The payments in the queue, by id. A payment without an entry needs no start any more. */
  const waiting = new Map<string, StartablePayment>();
  const started: string[] = [];
  let pays = 0;
  let marking: Promise<void> | null = null;
  let failures = 0;

  const add = (payment: StartablePayment): void => {
    waiting.set(payment.id, payment);
    void queue.add(() => start(payment.id));
  };

  const take = (id: string): StartablePayment | undefined => {
    const payment = waiting.get(id);
    waiting.delete(id);
    return payment;
  };

  const noteStarted = (id: string): void => {
    failures = 0;
    started.push(id);
    marking ??= mark();
  };

  const start = async (id: string): Promise<void> => {
    const payment = take(id);
    if (payment === undefined) return;
    try {
      await workflows.start(payment);
      noteStarted(id);
    } catch {
      failures += 1;
      logger.warn({ paymentId: id }, 'workflow not started; the sweep will start it');
      if (failures < maxFailures || queue.size === 0) return;
      // Temporal is unavailable: the rows hold the waiting payments, and the sweep starts them.
      logger.warn({ payments: queue.size }, 'workflows not started; the sweep will start them');
      queue.clear();
      waiting.clear();
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
    add,
    prioritize: async (paymentId, pay) => {
      const taken = take(paymentId);
      pays += 1;
      queue.concurrency = atOnceDuringPays;
      try {
        const result = await pay();
        if (taken) noteStarted(paymentId);
        return result;
      } catch (error) {
        if (taken) add(taken);
        throw error;
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
