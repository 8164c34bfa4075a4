import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import type { Violation } from './violation.ts';

let isQuiet = false;

/**
 * Returns the payments whose history no other worker could go on from: each is replayed by the workflows of
 * the build, from its beginning (I20).
 */
export async function checkReplays(
  { dist, temporalAddress }: { dist: string; temporalAddress: string },
  paymentIds: readonly string[],
): Promise<Violation[]> {
  if (!isQuiet) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  isQuiet = true;
  const workflowBundle = { code: readFileSync(join(dist, 'src', 'workflow-bundle.js'), 'utf8') };
  // The stack has the keys that development has.
  const { ENCRYPTION_KEYS } = readSettings({ DATABASE_URL: 'postgres://unused' });
  const dataConverter = createDataConverter(createKeyring(ENCRYPTION_KEYS));
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    const histories = await Promise.all(
      paymentIds.map(async (id) => ({
        workflowId: `payment-${id}`,
        history: await workflow.getHandle(`payment-${id}`).fetchHistory(),
      })),
    );
    const violations: Violation[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle, dataConverter },
      histories,
    )) {
      const paymentId = workflowId.replace(/^payment-/, '');
      if (error) violations.push({ invariant: 'I20', paymentId, detail: error.message.slice(0, 500) });
    }
    return violations;
  } finally {
    await connection.close();
  }
}
