/**
 * `npm run test:schemathesis -- [--seed 1] [--max-examples 15] [--phases examples,coverage]`: Schemathesis
 * with every operation of the OpenAPI document, against `npm start` on data of its own. Exit code 1 when it
 * found a failure, or when Python 3.11 or a package of `requirements.txt` is missing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { installPython, runProgram } from '../support/harness/python-tools.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { type RunningStack, startStack } from './stack.ts';

const requirements = join(projectRoot, 'test', 'schemathesis', 'requirements.txt');
/** Far above what the number of examples takes. */
const runMs = 600_000;

const values = readFlags({
  name: 'test:schemathesis',
  does: 'Has Schemathesis try every operation of the OpenAPI document against npm start.',
  flags: {
    seed: { takes: 's', means: 'what the examples are drawn from', otherwise: '1' },
    maxExamples: { takes: 'n', means: 'examples of an operation', otherwise: '15' },
    phases: {
      takes: 'names',
      means: "Schemathesis' phases",
      otherwise: 'examples,coverage,fuzzing,stateful',
    },
  },
});

await runTool(async () => {
  const seed = wholeNumber('seed', values.seed);
  const examples = wholeNumber('max-examples', values.maxExamples);
  const program = join(await installPython('schemathesis', requirements), 'schemathesis');
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-schemathesis-'));
  let stack: RunningStack | undefined;
  try {
    // Its limits would stand before the answers that are wanted; they have tests of their own.
    stack = await startStack(join(directory, 'data'), { RATE_LIMITS: 'off' });
    const { baseUrl, sandboxApiKey } = stack;
    const code = await runProgram(runMs, program, [
      ...['run', `${baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${sandboxApiKey}`],
      ...['--seed', String(seed), '--max-examples', String(examples), '--phases', values.phases],
      ...['--rate-limit', '200/s'],
    ]);
    return code === 0;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
