import type { Client } from '@temporalio/client';

/**
 * Runs a call to Temporal and gives up after `waitMs`: without a limit a missing worker would hang a request
 * for ever.
 */
export type WithinDeadline = <T>(waitMs: number, call: () => Promise<T>) => Promise<T>;

/** Returns the one way in which clients call Temporal. gRPC measures the deadline by the system's clock. */
export const withinDeadline =
  ({ client }: { client: Client }): WithinDeadline =>
  (waitMs, call) =>
    client.connection.withDeadline(Date.now() + waitMs, call);

/** What the clients of one kind of workflow are made of. */
export interface WorkflowClientDeps {
  client: Client;
  queuePrefix: string;
  /** PostgreSQL's time in epoch ms: it is compared with the deadlines in the rows. */
  now: () => number;
}
