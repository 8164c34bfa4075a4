import type { Client } from '@temporalio/client';
import { createDeliveryActivities } from '../activities/deliveries.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import { createReplayActivities } from '../activities/replay-webhooks.ts';
import { createDeliverySweepActivities } from '../activities/sweep-deliveries.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/database.ts';
import { createEndpointSlots } from '../webhooks/endpoint-slots.ts';
import { parseRetrySchedule } from '../webhooks/retry-schedule.ts';
import { createSender } from '../webhooks/sender.ts';
import { taskQueue, workflowTypes } from '../temporal/contract/ids.ts';
import { ensureSchedule } from './schedules.ts';

/** Returns the activities of role `webhooks`. */
export function composeWebhooks(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  starter: DeliveryStarter;
}): object {
  const { settings, database, keyring, starter } = deps;
  const now = Date.now;
  return {
    ...createDeliveryActivities({
      database,
      keyring,
      starter,
      send: createSender({ rules: { allowLoopback: settings.DEPLOYMENT === 'development' } }),
      slots: createEndpointSlots(),
      schedule: parseRetrySchedule(settings.WEBHOOK_RETRY_SCHEDULE_SECONDS),
      now,
      random: Math.random,
    }),
    ...createDeliverySweepActivities({ database, starter, now }),
    ...createReplayActivities({ database, starter, now }),
  };
}

/** Makes sure that the sweep of the deliveries runs. */
export async function scheduleWebhookSweep(client: Client, settings: Settings): Promise<void> {
  const queuePrefix = settings.TASK_QUEUE_PREFIX;
  await ensureSchedule(client, {
    id: `${queuePrefix}sweep-deliveries`,
    everySeconds: settings.SWEEP_SECONDS,
    workflowType: workflowTypes.sweepDeliveries,
    taskQueue: taskQueue(queuePrefix, 'webhooks'),
  });
}
