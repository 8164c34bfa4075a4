import type { Logger } from 'pino';
import { createDeliveryActivities } from '../activities/deliveries.ts';
import { createReplayActivities } from '../activities/replay-webhooks.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/server/database.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import { type WebhookDispatcher, createWebhookDispatcher } from '../webhooks/dispatcher.ts';
import { createEndpointSlots } from '../webhooks/endpoint-slots.ts';
import { createFirstTries, firstTryMs } from '../webhooks/first-tries.ts';
import { parseRetrySchedule } from '../webhooks/retry-schedule.ts';
import { createSender } from '../webhooks/sender.ts';

/**
 * Returns the dispatcher of the process, and the activities of role `webhooks`. Without that role the
 * activities are null, and the process sends no webhooks itself.
 */
export function composeWebhooks(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  starter: DeliveryStarter;
  /** PostgreSQL's time in epoch ms. */
  now: () => number;
  logger: Pick<Logger, 'warn'>;
}): { dispatcher: WebhookDispatcher; activities: object | null } {
  const { settings, database, keyring, starter, now, logger } = deps;
  const onFault = (error: unknown): void =>
    logger.warn({ err: error }, 'deliveries were not started; the sweep will');
  if (!settings.WORKER_ROLES.includes('webhooks')) {
    const dispatcher = createWebhookDispatcher({ database, starter, firstTries: null, onFault });
    return { dispatcher, activities: null };
  }
  const rules = { allowLoopback: settings.DEPLOYMENT === 'development' };
  const tries = {
    database,
    keyring,
    schedule: parseRetrySchedule(settings.WEBHOOK_RETRY_SCHEDULE_SECONDS),
    slots: createEndpointSlots(),
    now,
    random: Math.random,
  };
  const firstTries = createFirstTries({
    ...tries,
    send: createSender({ rules, timeoutMs: firstTryMs }),
    starter,
    onFault,
  });
  const dispatcher = createWebhookDispatcher({ database, starter, firstTries, onFault });
  return {
    dispatcher,
    activities: {
      ...createDeliveryActivities({ ...tries, send: createSender({ rules }), dispatcher }),
      ...createReplayActivities({ database, starter, now }),
    },
  };
}
