import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '../../scripts/lib/problem.mjs';
import type { RunningStack } from '../schemathesis/stack.ts';
import { projectRoot } from '../support/harness/project-root.ts';
import { runCommand } from './run-command.ts';

const run = promisify(execFile);
const runMs = 180_000;

interface Report {
  results: {
    test: { filename: string };
    response: { status: number | string };
    status: string;
    assertionResults: { status: string }[];
  }[];
}

/**
 * Runs the whole collection of `examples/bruno` by the command that its README names. Returns how many of its
 * requests passed, and a line for each that did not.
 */
export async function runBruno(
  directory: string,
  { baseUrl, sandboxApiKey }: RunningStack,
): Promise<{ passed: number; failures: string[] }> {
  const collection = join(directory, 'collection');
  const tool = join(directory, 'tool');
  cpSync(join(projectRoot, 'examples', 'bruno'), collection, { recursive: true });
  mkdirSync(tool);
  const version = /@usebruno\/cli@[\d.]+/.exec(readFileSync(join(collection, 'README.md'), 'utf8'))?.[0];
  if (version === undefined)
    throw new Problem('the README of examples/bruno names no version of its command');
  const env = { ...process.env, NODE_OPTIONS: '' };
  await runCommand('npm', ['install', '--no-audit', '--no-fund', '--prefix', tool, version], {
    cwd: tool,
    env,
  });
  const report = join(directory, 'report.json');
  const variables = [`baseUrl=${baseUrl}`, `apiKey=${sandboxApiKey}`].flatMap((text) => ['--env-var', text]);
  const command = ['run', '--env', 'local', ...variables, '--reporter-json', report];
  // A request that fails is an exit code too; the report says which.
  const output = await run(join(tool, 'node_modules', '.bin', 'bru'), command, {
    ...{ cwd: collection, env, timeout: runMs },
  }).catch((error: { stdout?: string; stderr?: string }) => error);
  const results = readReport(report, `${output.stdout ?? ''}${output.stderr ?? ''}`).flatMap(
    (each) => each.results,
  );
  const failed = results.filter(
    ({ assertionResults }) => assertionResults.length === 0 || assertionResults.some(isFailed),
  );
  const skipped = requestsIn(collection) - results.length;
  return {
    passed: results.length - failed.length,
    failures: [
      ...failed.map(({ test, response }) => `${test.filename}: answered ${response.status}`),
      ...(skipped === 0 ? [] : [`${skipped} requests were not run`]),
    ],
  };
}

/** Returns how many requests a collection has. The command only warns of a file that it cannot read. */
const requestsIn = (collection: string): number =>
  readdirSync(collection, { recursive: true })
    .map(String)
    .filter(
      (name) =>
        name.endsWith('.bru') && !/(?:^environments\/|(?:^|\/)(?:collection|folder)\.bru$)/.test(name),
    ).length;

const isFailed = ({ status }: { status: string }): boolean => status !== 'pass';

function readReport(path: string, output: string): Report[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report[];
  } catch {
    throw new Problem(`the collection did not run\n${output.slice(-3_000)}`);
  }
}
