/**
 * `npm run test:pictures [-- --refresh]`: compares every key page of the dashboard with its picture in
 * test/kept-pictures, in three widths, light and dark; `--refresh` takes the pictures anew. Prints
 * `N passed, N failed` last; where pages differ, .cache/picture-differences has what does.
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

const { refresh } = readFlags({
  name: 'test:pictures',
  does: 'Compares the pages of the dashboard with their pictures.',
  flags: { refresh: { means: 'take the pictures anew, after a reviewed change' } },
});

const resultSchema = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });

await runTool(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-pictures-'));
  const output = join(directory, 'result.json');
  try {
    const child = spawn(
      process.execPath,
      [join(projectRoot, 'scripts/test.mjs'), 'test/pictures/', '--json', `--outputFile=${output}`],
      {
        cwd: projectRoot,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, PICTURES: refresh ? 'refresh' : 'compare' },
      },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    const { numPassedTests: passed, numFailedTests: failed } = resultSchema.parse(
      JSON.parse(await readFile(output, 'utf8')),
    );
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return code === 0 && failed === 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
