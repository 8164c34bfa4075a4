import { createDeliveryActivities } from '../activities/deliveries.ts';
import type { DeliveryStarter } from '../webhooks/delivery-starter.ts';
import { createReplayActivities } from '../activities/replay-webhooks.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../db/server/database.ts';
import { createEndpointSlots } from '../webhooks/endpoint-slots.ts';
import { parseRetrySchedule } from '../webhooks/retry-schedule.ts';
import { createSender } from '../webhooks/sender.ts';

/** Returns the activities of role `webhooks`. */
export function composeWebhooks(deps: {
  settings: Settings;
  database: Database;
  keyring: Keyring;
  starter: DeliveryStarter;
  /** PostgreSQL's time in epoch ms. */
  now: () => number;
}): object {
  const { settings, database, keyring, starter, now } = deps;
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
    ...createReplayActivities({ database, starter, now }),
  };
}
