import { type Client, ScheduleNotFoundError } from '@temporalio/client';

/** Longest wait for the server, in ms. */
const waitMs = 10_000;

/** Schedules of versions before 0.1.0. No worker of this version knows their workflow types. */
const formerSchedules = ['sweep', 'after-payment-sweep', 'webhook-sweep'];

/** Returns why the namespace may not be used, in one line with the fix, or null. Faults are thrown. */
export async function refuseNamespace(
  client: Client,
  namespace: string,
  queuePrefix: string,
): Promise<string | null> {
  for (const name of formerSchedules) {
    if (await exists(client, `${queuePrefix}${name}`)) {
      return `the Temporal namespace ${namespace} was used by a version before 0.1.0: use a new one (npm start -- --fresh)`;
    }
  }
  return null;
}

async function exists(client: Client, scheduleId: string): Promise<boolean> {
  try {
    await client.connection.withDeadline(Date.now() + waitMs, () =>
      client.schedule.getHandle(scheduleId).describe(),
    );
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
