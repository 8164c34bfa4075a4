/**
 * `npm run test:python`: packs the Python client, installs the packed file and tests it there: with answers
 * that are made up, and against `npm start` with connections that are cut. Prints `N passed, N failed`. Exit
 * code 1 when a test fails, or Python or a package of `requirements.txt` is missing. `--python` picks another
 * interpreter, such as the oldest that the client supports.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { openApiDocument } from '../../src/api/docs/document.ts';
import { type RunningStack, startStack } from '../schemathesis/stack.ts';
import { type Cut, type CuttingProxy, startCuttingProxy } from '../support/harness/cutting-proxy.ts';
import { installPackedPython } from '../support/harness/packed-sdks.ts';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { installPython, runProgram } from '../support/harness/python-tools.ts';
import { runTool } from '../support/harness/run-tool.ts';

const folder = join(projectRoot, 'test', 'python');
const runMs = 240_000;
const ledgerAnswer = z.object({ charges: z.array(z.object({ status: z.string() })) });
const stackFile = z.object({ networkUrl: z.string(), databaseUrl: z.string() });

const flags = readFlags({
  name: 'test:python',
  does: 'Tests the packed Python client, also against npm start.',
  flags: { python: { takes: 'program', means: 'interpreter, 3.10 or later', otherwise: 'python3' } },
});

/** What the tests order and ask beside the client: cuts, the network's charges, the end of 24 hours. */
async function startControl(
  proxy: CuttingProxy,
  addresses: z.infer<typeof stackFile>,
): Promise<{ url: string; close: () => void }> {
  const answer = async (path: string): Promise<unknown> => {
    const [, what = '', which = ''] = path.split('/');
    if (what === 'cut') return proxy.cuts.push(which as Cut);
    if (what === 'cuts') return proxy.cuts.length;
    if (what === 'charges') {
      const answered = await fetch(`${addresses.networkUrl}/ledger?paymentId=${which}`);
      const { charges } = ledgerAnswer.parse(await answered.json());
      return charges.filter(({ status }) => status === 'captured').length;
    }
    if (what !== 'forget-keys') throw new Error(`the tests cannot order ${what}`);
    const client = new pg.Client({ connectionString: addresses.databaseUrl });
    await client.connect();
    try {
      return (await client.query('DELETE FROM idempotency_keys')).rowCount;
    } finally {
      await client.end();
    }
  };
  const server = createServer((request, response) => {
    answer(request.url ?? '').then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

await runTool(async () => {
  const bin = await installPython('python-client', join(folder, 'requirements.txt'), flags.python);
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-python-'));
  const closing: (() => void | Promise<void>)[] = [];
  try {
    const { wheel, python } = await installPackedPython(bin, directory);
    const data = join(directory, 'data');
    const stack: RunningStack = await startStack(data, {});
    closing.push(() => stack.stop());
    const addresses = stackFile.parse(JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8')));
    const proxy = await startCuttingProxy(stack.baseUrl);
    closing.push(() => proxy.close());
    const control = await startControl(proxy, addresses);
    closing.push(() => control.close());
    const scratch = join(directory, 'scratch');
    mkdirSync(scratch);
    const document = join(scratch, 'openapi.json');
    writeFileSync(document, JSON.stringify(openApiDocument('https://pay.example')));
    const settings = {
      ...{ TEST_WHEEL: wheel, TEST_SCRATCH: scratch, TEST_DOCUMENT: document, TEST_TOOLS: bin },
      ...{ TEST_URL: stack.baseUrl, TEST_CUTTING_URL: proxy.url, TEST_CONTROL_URL: control.url },
      TEST_API_KEY: stack.sandboxApiKey,
    };
    const file = join(directory, 'settings.json');
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    return (await runProgram(runMs, python, [join(folder, 'run.py'), file])) === 0;
  } finally {
    for (const close of closing.toReversed()) await close();
    rmSync(directory, { recursive: true, force: true });
  }
});
