/**
 * `npm run test:clients`: generates a Python client from the OpenAPI document of `npm start`, with the
 * generator that merchants use, and pays with it. Exit code 1 when the generator has a warning, a payment is
 * not what the document promises, or Python 3.11 or a package of `requirements.txt` is missing. The
 * TypeScript client is tested by `npm test`.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { installPython, runProgram } from '../support/harness/python-tools.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { type RunningStack, startStack } from '../schemathesis/stack.ts';

const folder = join(projectRoot, 'test', 'clients');
const runMs = 120_000;

readFlags({
  name: 'test:clients',
  does: 'Generates a Python client from the document of npm start, and pays with it.',
  flags: {},
});

await runTool(async () => {
  const bin = await installPython('openapi-python-client', join(folder, 'requirements.txt'));
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-clients-'));
  let stack: RunningStack | undefined;
  try {
    stack = await startStack(join(directory, 'data'), {});
    const { baseUrl, sandboxApiKey } = stack;
    const config = join(directory, 'config.json');
    // The generator would format what it made with programs that are not installed.
    writeFileSync(config, JSON.stringify({ post_hooks: [] }));
    const generated = await runProgram(runMs, join(bin, 'openapi-python-client'), [
      ...['generate', '--url', `${baseUrl}/openapi.json`, '--output-path', join(directory, 'generated')],
      ...['--meta', 'none', '--config', config, '--fail-on-warning'],
    ]);
    if (generated !== 0) return false;
    // Python finds the package beside its program.
    const program = join(directory, 'pay.py');
    copyFileSync(join(folder, 'pay.py'), program);
    return (await runProgram(runMs, join(bin, 'python'), [program, baseUrl, sandboxApiKey])) === 0;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
