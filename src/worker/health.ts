import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { type Database, answers } from '../db/server/database.ts';
import type { Hold } from '../db/server/restore-watch.ts';
import type { MetricsPage } from '../metrics/page.ts';
import { type ServerBounds, createBoundedServer } from '../http/server.ts';

/** Enough for a supervisor and one or two probes. docs/security.md, "Floods". */
const bounds: ServerBounds = {
  maxConnections: 32,
  maxUnanswered: 4,
  idleTimeoutMs: 10_000,
  writeTimeoutMs: 5_000,
  keepAliveTimeoutMs: 65_000,
};

export interface WorkerHealth {
  port: number;
  close: () => Promise<void>;
}

/**
 * Listens on a worker's private port. `/healthz`: 200 while the process runs, with the number of its workflow
 * tasks that failed. `/readyz`: 200 `{database, temporal, workers}` while all three are true, else 503.
 * `/metrics`: the process's metrics. docs/operations.md, "Health".
 */
export async function serveWorkerHealth(deps: {
  host: string;
  /** 0 takes a free port. */
  port: number;
  database: Database;
  client: Pick<Client, 'connection'>;
  /** Whether writes are held after a restore; the answer then has `restored`, but stays ready. */
  hold: Hold;
  /** Whether all workers of the process poll. */
  workersRun: () => boolean;
  /** Failed workflow tasks since the process began. */
  failedWorkflowTasks: () => number;
  metrics: MetricsPage;
}): Promise<WorkerHealth> {
  const { database, client, workersRun, metrics } = deps;
  const server = createBoundedServer(
    bounds,
    { requestTimeout: 5_000, headersTimeout: 5_000 },
    (request, response) => {
      const answer = (status: number, body: object): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/healthz')
        answer(200, { ok: true, failedWorkflowTasks: deps.failedWorkflowTasks() });
      else if (request.url === '/readyz') {
        void checks().then((found) =>
          answer(Object.values(found).every(Boolean) ? 200 : 503, {
            ...found,
            ...(deps.hold.begun ? { restored: true } : {}),
          }),
        );
      } else if (request.url === '/metrics') {
        void metrics.text().then(
          (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
          () => answer(500, { error: 'the metrics cannot be read' }),
        );
      } else answer(404, { error: 'there is /healthz, /readyz and /metrics' });
    },
  );

  const checks = async () => ({
    database: await answers(database),
    temporal: await client.connection
      .withDeadline(Date.now() + 1_000, () => client.connection.workflowService.getSystemInfo({}))
      .then(
        () => true,
        () => false,
      ),
    workers: workersRun(),
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(deps.port, deps.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
