/**
 * `npm run test:pictures [-- --refresh] [--only PAGES]`: compares every page of the dashboard, and every
 * state of the checkout in three languages, with its picture in test/kept-pictures, in three widths, light
 * and dark. `--refresh` takes the pictures anew, each kept as soon as it is taken, and those in docs/checkout
 * with them. Prints each page that differs, and `N passed, N failed` last; what differs is in
 * .cache/picture-differences.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readFlags } from '../support/harness/flags.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runTool } from '../support/harness/run-tool.ts';

const { refresh, only } = readFlags({
  name: 'test:pictures',
  does: 'Compares the pages of the dashboard and the states of the checkout with their pictures.',
  flags: {
    refresh: { means: 'take the pictures anew, after a reviewed change' },
    only: { takes: 'pages', means: 'look at these pages and states only, with commas between them' },
  },
});

const resultSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});
type Result = z.infer<typeof resultSchema>;

/** Prints each test that failed, with the pictures that differ, and a file that could not run. */
function printFailures({ testResults }: Result): void {
  for (const { message, assertionResults } of testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    for (const { fullName, failureMessages } of failed) {
      process.stdout.write(`${fullName}\n${failureMessages.join('\n').slice(0, maxMessageCharacters)}\n`);
    }
    if (failed.length === 0 && message !== '')
      process.stdout.write(`${message.slice(0, maxMessageCharacters)}\n`);
  }
}
const maxMessageCharacters = 1_500;

await runTool(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-pictures-'));
  const output = join(directory, 'result.json');
  try {
    const child = spawn(
      process.execPath,
      [
        ...[join(projectRoot, 'scripts/test.mjs'), 'test/pictures/', '--selectProjects=endurance'],
        ...['--json', `--outputFile=${output}`],
      ],
      {
        cwd: projectRoot,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          PICTURES: refresh ? 'refresh' : 'compare',
          ...(only === undefined ? {} : { PICTURES_ONLY: only }),
        },
      },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    const result = resultSchema.parse(JSON.parse(await readFile(output, 'utf8')));
    printFailures(result);
    const { numPassedTests: passed, numFailedTests: failed } = result;
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return code === 0 && failed === 0 && passed > 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
