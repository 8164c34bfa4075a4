import { readFile, readdir } from 'node:fs/promises';
import proto from '@temporalio/proto';
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
  const broken: string[] = [];
  for await (const result of Worker.runReplayHistories({ workflowBundle: { code } }, histories)) {
    if (result.error) broken.push(`${result.workflowId}: ${result.error.message}`);
  }
  expect(broken).toEqual([]);
});
