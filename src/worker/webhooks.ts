import type { Client } from '@temporalio/client';
import type { FaultLog } from '../activities/fault-log.ts';
import type { WebhookActivities } from '../activities/webhook-types.ts';
import { createWebhookActivities } from '../activities/webhooks.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/database.ts';
import { createDeliveryWorkflows } from '../temporal/clients/deliveries.ts';
import { createEndpointSlots } from '../webhooks/endpoint-slots.ts';
import { parseRetrySchedule } from '../webhooks/retry-schedule.ts';
import { createSender } from '../webhooks/sender.ts';
import { taskQueue } from '../temporal/contract/ids.ts';
import { ensureSchedule } from './schedules.ts';

/** The activities of role `webhooks`. */
export function composeWebhooks(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  client: Client;
  logFault: FaultLog;
}): WebhookActivities {
  const { settings, database, keyring, client, logFault } = deps;
  return createWebhookActivities({
    database,
    keyring,
    logFault,
    workflows: createDeliveryWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now: Date.now }),
    send: createSender({ rules: { allowLoopback: settings.DEPLOYMENT === 'development' } }),
    slots: createEndpointSlots(),
    schedule: parseRetrySchedule(settings.WEBHOOK_RETRY_SCHEDULE_SECONDS),
    now: Date.now,
    random: Math.random,
  });
}

/** Makes sure that the sweep of the deliveries runs. */
export async function scheduleWebhookSweep(client: Client, settings: Settings): Promise<void> {
  const queuePrefix = settings.TASK_QUEUE_PREFIX;
  await ensureSchedule(client, {
    id: `${queuePrefix}webhook-sweep`,
    everySeconds: settings.SWEEP_SECONDS,
    workflowType: 'sweepWebhooks',
    taskQueue: taskQueue(queuePrefix, 'webhooks'),
  });
}
