/**
 * `npm run test:samples`: runs the shops of `examples/` that use the packed clients, and the collection for
 * Bruno, against `npm start`, and checks what each promises. Prints `N passed, N failed`. Exit code 1 when a
 * check fails, or Python 3.11, a package of `examples/fastapi/requirements.txt`, one of
 * `examples/nextjs/package-lock.json` or Bruno's command is missing.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningStack, startStack } from '../schemathesis/stack.ts';
import { readFlags } from '../support/harness/flags.ts';
import { runTool } from '../support/harness/run-tool.ts';
import { runBruno } from './bruno.ts';
import { openFastApi } from './fastapi.ts';
import { openNextjs } from './nextjs.ts';
import { type Sample, checks } from './shop-checks.ts';

readFlags({
  name: 'test:samples',
  does: 'Runs the shops of examples/ and the Bruno collection against npm start.',
  flags: {},
});

async function runChecks(sample: Sample): Promise<{ passed: number; failed: number }> {
  const counts = { passed: 0, failed: 0 };
  for (const [title, check] of Object.entries(checks)) {
    try {
      await check(sample);
      counts.passed += 1;
      console.log(`✓ ${sample.name}: ${title}`);
    } catch (error) {
      counts.failed += 1;
      console.log(`✕ ${sample.name}: ${title}\n  ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return counts;
}

await runTool(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-samples-'));
  let stack: RunningStack | undefined;
  try {
    const openings = [openFastApi, openNextjs].map((open, index) => {
      const folder = join(directory, String(index));
      mkdirSync(folder);
      return { open, folder };
    });
    stack = await startStack(join(directory, 'data'), {});
    const bruno = await runBruno(mkdtempSync(join(directory, 'bruno-')), stack);
    console.log(`${bruno.passed} requests of the Bruno collection passed`);
    for (const line of bruno.failures) console.log(`✕ ${line}`);
    let { passed } = bruno;
    let failed = bruno.failures.length;
    for (const { open, folder } of openings) {
      const counts = await runChecks(await open(folder, stack));
      passed += counts.passed;
      failed += counts.failed;
    }
    console.log(`${passed} passed, ${failed} failed`);
    return passed > 0 && failed === 0;
  } finally {
    await stack?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
