import { readFile, readdir } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { workflowTypes } from '../../src/temporal/contract/ids.ts';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';

const directory = new URL('./', import.meta.url);

beforeAll(() => Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] }));

/**
 * Scenarios of every workflow type were saved once (UPDATE_HISTORIES=1). A workflow change that records other
 * commands breaks running ones: use `patched()` and add a history, or drain the old workers first.
 */
it('every workflow type replays every saved history without non-determinism', async () => {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThanOrEqual(15);
  const histories = await Promise.all(
    files.map(async (name) => ({
      workflowId: name,
      history: proto.temporal.api.history.v1.History.fromObject(
        JSON.parse(await readFile(new URL(name, directory), 'utf8')) as object,
      ),
    })),
  );
  const saved = histories.map(({ history }) => {
    return history.events[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  });
  expect(new Set(saved)).toEqual(new Set(Object.values(workflowTypes)));
  const code = await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  // Recorded by a stack with the keys that development has.
  const { ENCRYPTION_KEYS } = readSettings({ DATABASE_URL: 'postgres://unused' });
  const dataConverter = createDataConverter(createKeyring(ENCRYPTION_KEYS));
  const broken: string[] = [];
  for await (const result of Worker.runReplayHistories({ workflowBundle: { code }, dataConverter }, histories)) {
    if (result.error) broken.push(`${result.workflowId}: ${result.error.message}`);
  }
  expect(broken).toEqual([]);
});
