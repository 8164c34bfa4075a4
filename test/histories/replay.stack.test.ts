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
  const histories = await Promise.all(files.map(read));
  expect(new Set(histories.map(({ type }) => type))).toEqual(new Set(Object.values(workflowTypes)));
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  // Recorded by a stack with the keys that development has, or by a worker that seals nothing.
  const { ENCRYPTION_KEYS } = readSettings({ DATABASE_URL: 'postgres://unused' });
  const sealing = createDataConverter(createKeyring(ENCRYPTION_KEYS));
  const broken: string[] = [];
  for (const isSealed of [true, false]) {
    const dataConverter = isSealed ? sealing : { ...sealing, payloadCodecs: [] };
    const chosen = histories.filter((history) => history.isSealed === isSealed);
    for await (const { error, workflowId } of Worker.runReplayHistories({ workflowBundle, dataConverter }, chosen)) {
      if (error) broken.push(`${workflowId}: ${error.message}`);
    }
  }
  expect(broken).toEqual([]);
});

it('no saved history names a place on the machine that recorded it', async () => {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.json'));
  const naming = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, directory), 'utf8');
      const payloads = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, data = '']) =>
        Buffer.from(data, 'base64').toString('utf8'),
      );
      return [text, ...payloads].some((one) => /\/(?:home|root|tmp|work|Users)\/\w/.test(one)) ? [name] : [];
    }),
  );
  expect(naming.flat()).toEqual([]);
});

async function read(name: string) {
  const history = proto.temporal.api.history.v1.History.fromObject(
    JSON.parse(await readFile(new URL(name, directory), 'utf8')) as object,
  );
  const started = history.events[0]?.workflowExecutionStartedEventAttributes;
  const encoding = started?.input?.payloads?.[0]?.metadata?.['encoding'];
  return {
    history,
    // Payloads are bound to it.
    workflowId: started?.workflowId || name,
    type: started?.workflowType?.name,
    isSealed: Buffer.from(encoding ?? []).toString() === 'binary/encrypted',
  };
}
