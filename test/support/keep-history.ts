import { mkdir, writeFile } from 'node:fs/promises';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';

/** UPDATE_HISTORIES=1 keeps the history under that name for test/histories/replay.stack.test.ts. */
export async function keepHistory(name: string, handle: Pick<WorkflowHandle, 'fetchHistory'>): Promise<void> {
  if (process.env['UPDATE_HISTORIES'] !== '1') return;
  const directory = new URL('../histories/', import.meta.url);
  await mkdir(directory, { recursive: true });
  const { History } = proto.temporal.api.history.v1;
  const history = History.toObject(History.fromObject(await handle.fetchHistory()), {
    enums: String,
    longs: String,
    bytes: String,
  });
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(history)}\n`);
}
