/**
 * `node .ci/failures.mjs RESULTS`: prints what failed in jest's results, file by file, with the reasons.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Of one file; what a test compared may be long. */
const mostCharacters = 6_000;
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: failures.mjs RESULTS');

/** @type {{ name: string, status: string, message: string }[]} */
const suites = JSON.parse(readFileSync(path, 'utf8')).testResults;
for (const { name, status, message } of suites) {
  if (status !== 'failed') continue;
  console.log(`FAIL ${relative('', name)}`);
  console.log(stripVTControlCharacters(message).slice(0, mostCharacters));
}
