/**
 * `node .ci/failures.mjs RESULTS`: prints what failed in jest's results, file by file, with the reasons. Exit
 * code 1 when nothing did.
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
const failed = suites.filter(({ status }) => status === 'failed');
for (const { name, message } of failed) {
  console.log(`FAIL ${relative('', name)}`);
  console.log(stripVTControlCharacters(message).slice(0, mostCharacters));
}
process.exitCode = failed.length > 0 ? 0 : 1;
