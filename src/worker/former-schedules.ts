import { type Client, ScheduleNotFoundError } from '@temporalio/client';

/** Longest wait for the server, in ms. */
const waitMs = 3_000;

/** Schedules of versions whose sweeps were workflows. ADR 0015. */
const names = ['sweep-payments', 'sweep-refunds-and-disputes', 'sweep-deliveries'] as const;

/**
 * Deletes the schedules of an earlier version, because each would start runs that no worker can run. A
 * schedule that cannot be deleted now is deleted at the next start.
 */
export async function deleteFormerSchedules(
  client: Client,
  queuePrefix: string,
  onFault: (error: unknown) => void,
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      try {
        await client.connection.withDeadline(Date.now() + waitMs, () =>
          client.schedule.getHandle(`${queuePrefix}${name}`).delete(),
        );
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) onFault(error);
      }
    }),
  );
}
