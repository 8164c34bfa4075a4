import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';

const { History } = proto.temporal.api.history.v1;

/** A payment whose history no other worker could continue (I20). */
export interface Unreplayable {
  paymentId: string;
  detail: string;
  history: object;
}

/** How long to wait for the next replay, in ms. */
const replayMs = 60_000;
const asText = { enums: String, longs: String, bytes: String };

let isQuiet = false;

/**
 * Returns the histories that none of the builds that ran can replay. The workflows of each build replay them
 * from the start. A payment without a run has none (I17, I27).
 */
export async function findUnreplayable(
  { builds, temporalAddress }: { builds: readonly string[]; temporalAddress: string },
  paymentIds: readonly string[],
): Promise<Unreplayable[]> {
  let left = paymentIds;
  let found: Unreplayable[] = [];
  for (const dist of builds) {
    found = await replayWith(dist, temporalAddress, left);
    left = found.map(({ paymentId }) => paymentId);
  }
  return found;
}

async function replayWith(
  dist: string,
  temporalAddress: string,
  paymentIds: readonly string[],
): Promise<Unreplayable[]> {
  if (paymentIds.length === 0) return [];
  if (!isQuiet) Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  isQuiet = true;
  const bundle = readFileSync(join(dist, 'src', 'workflow-bundle.js'), 'utf8');
  // Replay errors stay in this process, so the bundle need not seal them.
  const workflowBundle = {
    code: bundle.replaceAll('encodeCommonAttributes: true', 'encodeCommonAttributes: false'),
  };
  // The stack uses the development keys.
  const { ENCRYPTION_KEYS } = readSettings({ DATABASE_URL: 'postgres://unused' });
  const dataConverter = createDataConverter(createKeyring(ENCRYPTION_KEYS));
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    const fetched = await Promise.all(
      paymentIds.map(async (id) => ({
        workflowId: `payment-${id}`,
        history: await workflow
          .getHandle(`payment-${id}`)
          .fetchHistory()
          .catch(() => null),
      })),
    );
    const histories = fetched.flatMap(({ workflowId, history }) =>
      history === null ? [] : [{ workflowId, history }],
    );
    const left = new Map(histories.map(({ workflowId, history }) => [workflowId, history]));
    const found: Unreplayable[] = [];
    const add = (workflowId: string, detail: string): void => {
      const history = History.toObject(History.fromObject(left.get(workflowId) ?? {}), asText);
      found.push({ paymentId: workflowId.replace(/^payment-/, ''), detail, history });
    };
    const replayed = Worker.runReplayHistories({ workflowBundle, dataConverter }, histories)[
      Symbol.asyncIterator
    ]();
    while (left.size > 0) {
      const next = await Promise.race([replayed.next(), sleep(replayMs, 'late' as const, { ref: false })]);
      if (next === 'late') {
        // The SDK waits for a local activity that never ends, and does not name it.
        for (const workflowId of left.keys()) add(workflowId, `no replay ended within ${replayMs / 1000} s`);
        break;
      }
      if (next.done) break;
      const { workflowId, error } = next.value;
      if (error) add(workflowId, error.message.slice(0, 500));
      left.delete(workflowId);
    }
    return found;
  } finally {
    await connection.close();
  }
}
