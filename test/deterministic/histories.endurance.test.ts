import { readFile, readdir } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { readSettings } from '../../src/runtime/settings.ts';
import { createDataConverter } from '../../src/temporal/data-converter.ts';
import { createWorkflowCreator } from './temporal/creator.ts';
import { type RecordedRun, recordedRun } from './temporal/histories.ts';
import { NonDeterminism, replayTasks } from './temporal/replay.ts';

const directory = new URL('../histories/', import.meta.url);
const { ENCRYPTION_KEYS } = readSettings({ DATABASE_URL: 'postgres://unused' });
const sealing = createDataConverter(createKeyring(ENCRYPTION_KEYS));

const replay = async (run: RecordedRun): Promise<void> => {
  const encoding = Buffer.from(run.start.input[0]?.metadata?.['encoding'] ?? []).toString();
  const converter = encoding === 'binary/encrypted' ? sealing : { ...sealing, payloadCodecs: [] };
  const creator = await createWorkflowCreator(process.env['TEST_WORKFLOW_BUNDLE'] ?? '');
  await replayTasks(creator, converter, run);
};

async function saved(name: string): Promise<RecordedRun> {
  const text = await readFile(new URL(name, directory), 'utf8');
  const { events } = proto.temporal.api.history.v1.History.fromObject(JSON.parse(text) as object);
  return recordedRun(events, name);
}

it('makes the same commands from the events of every saved history as the real core did', async () => {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  expect(names.length).toBeGreaterThanOrEqual(30);
  for (const name of names) await expect(saved(name).then(replay)).resolves.toBeUndefined();
});

it('finds a history whose commands are not those of the workflow', async () => {
  const run = await saved('paid.json');
  const [first] = run.tasks;
  first?.commands.push('start timer 9 of 1000 ms');
  await expect(replay(run)).rejects.toThrow(NonDeterminism);
});
