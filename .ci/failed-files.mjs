/**
 * `node .ci/failed-files.mjs RESULTS [--held]`: prints the test files that failed in jest's results, from the
 * project's root, in one line. Exit code 1 when there are none, or more than four. With `--held` their tests
 * are counted as passed in RESULTS instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const maxFailed = 4;
const [path, held] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: failed-files.mjs RESULTS [--held]');
const results = JSON.parse(readFileSync(path, 'utf8'));

if (held === '--held') {
  results.numPassedTests += results.numFailedTests;
  results.numFailedTests = 0;
  results.numRuntimeErrorTestSuites = 0;
  writeFileSync(path, JSON.stringify(results));
} else {
  /** @type {{ name: string, status: string }[]} */
  const suites = results.testResults;
  const failed = suites.filter(({ status }) => status === 'failed').map(({ name }) => relative('', name));
  console.log(failed.join(' '));
  process.exitCode = failed.length > 0 && failed.length <= maxFailed ? 0 : 1;
}
