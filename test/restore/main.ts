/**
 * `npm run test:restore -- [--only NAME]`: stops a stack, puts older copies of its databases in place, starts
 * it again and brings the rows back with the operator's command: own rows older; Temporal older; Temporal
 * gone; both older, the network ahead of them; own rows recovered to an instant from a base backup and the
 * archived log. Takes about eight minutes. Prints `N passed, N failed` last.
 */
import { readFlags } from '../support/harness/flags.ts';
import { exitWhenPrinted, runTool } from '../support/harness/run-tool.ts';
import { bothOlder, ownRowsOlder, temporalGone, temporalOlder } from './cases.ts';
import { pointInTime } from './point-in-time.ts';
import { Stand } from './stand.ts';

const values = readFlags({
  name: 'test:restore',
  does: 'Restores older databases under a stack, and brings the rows back.',
  flags: { only: { takes: 'name', means: 'one of rows, temporal, gone, both, time' } },
});

const cases: readonly (readonly [string, string, (stand: Stand) => Promise<void>])[] = [
  ['rows', 'own rows older than Temporal and the network', ownRowsOlder],
  ['temporal', 'Temporal older than the rows', temporalOlder],
  ['gone', 'Temporal gone', temporalGone],
  ['both', 'rows and Temporal restored to different instants', bothOlder],
  ['time', 'own rows recovered to two minutes ago, from a backup under load', pointInTime],
];

await runTool(async () => {
  const counts = { passed: 0, failed: 0 };
  for (const [name, title, drill] of cases) {
    if (values.only !== undefined && values.only !== name) continue;
    const stand = new Stand();
    const startedAt = Date.now();
    try {
      await drill(stand);
      counts.passed += 1;
      process.stdout.write(`✓ ${title} (${Math.round((Date.now() - startedAt) / 1000)} s)\n`);
    } catch (error) {
      counts.failed += 1;
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stdout.write(`✗ ${title}: ${reason}\n`);
    } finally {
      await stand.close();
    }
  }
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return counts.failed === 0;
});
await exitWhenPrinted();
