/**
 * `npm run test:reconcile -- [--payments N]`: plants each kind of difference among that many payments, in the
 * network's book and in the rows, and compares them by the operator's command while the worker is killed.
 * Prints what an undisturbed run compared, in which time and memory, and `N passed, N failed` last. Exit code
 * 1 when a difference was missed or invented.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readFlags } from '../support/harness/flags.ts';
import { wholeNumber } from '../support/harness/options.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';

const values = readFlags({
  name: 'test:reconcile',
  does: 'Plants differences between the network and the rows, and compares them.',
  flags: { payments: { takes: 'n', means: 'how many payments are compared', otherwise: '10000' } },
});

const resultSchema = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });

await runTool(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-reconcile-'));
  const output = join(directory, 'result.json');
  const report = join(directory, 'report.txt');
  try {
    const child = spawn(
      process.execPath,
      [
        join(projectRoot, 'scripts/test.mjs'),
        'test/reconcile/',
        '--json',
        `--outputFile=${output}`,
        '--silent',
      ],
      {
        cwd: projectRoot,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          RECONCILE_PAYMENTS: String(wholeNumber('payments', values.payments)),
          RECONCILE_REPORT: report,
        },
      },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    const { numPassedTests: passed, numFailedTests: failed } = resultSchema.parse(
      JSON.parse(await readFile(output, 'utf8')),
    );
    process.stdout.write(await readFile(report, 'utf8').catch(() => ''));
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return code === 0 && failed === 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
