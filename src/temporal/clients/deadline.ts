import type { Client } from '@temporalio/client';

/**
 * Runs a call to Temporal and gives up after `waitMs`: without a limit a missing worker would hang a request
 * for ever.
 */
export type WithinDeadline = <T>(waitMs: number, call: () => Promise<T>) => Promise<T>;

/** Returns the one way in which clients call Temporal. `now` returns epoch ms. */
export const withinDeadline =
  ({ client, now }: { client: Client; now: () => number }): WithinDeadline =>
  (waitMs, call) =>
    client.connection.withDeadline(now() + waitMs, call);

/** What the clients of one kind of workflow are made of. */
export interface WorkflowClientDeps {
  client: Client;
  queuePrefix: string;
  now: () => number;
}
