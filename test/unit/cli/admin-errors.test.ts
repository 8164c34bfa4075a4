import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/harness/project-root.ts';

const admin = join(projectRoot, 'dist/src/cli/admin.js');

/** Runs the command without a database. Returns its output and exit code. */
const run = async (...words: string[]): Promise<{ stdout: string; stderr: string; code: number }> =>
  promisify(execFile)(process.execPath, [admin, ...words], {
    env: { PATH: process.env['PATH'], DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  }).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );

it('a wrong call is refused in one line that names the help', async () => {
  const calls: [words: string[], line: string][] = [
    [['payment'], 'payment needs a verb: list, show, why, timeline'],
    [['payment', 'frob'], 'payment has no verb frob: list, show, why, timeline'],
    [['health'], "unknown command 'health' (Did you mean help?); see admin --help"],
    [['payment', 'list'], "required option '--merchant <id>' not specified; see admin payment list --help"],
    [['payment', 'why', '--payment', 'one'], '--payment must be a UUID'],
    [
      ['payment', 'timeline', '--payment', '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11', '--only', 'x'],
      '--only must be one of payment, webhooks, calls',
    ],
    [['merchant', 'list'], 'the database is not reachable: check DATABASE_URL, or run npm start first'],
  ];
  const ran = await Promise.all(calls.map(([words]) => run(...words)));
  expect(ran.map(({ stdout, stderr, code }) => [stdout, stderr, code])).toEqual(
    calls.map(([, line]) => ['', `${line}\n`, 1]),
  );
});

it('prints help when called without arguments', async () => {
  const { stdout, code } = await run();
  expect(code).toBe(0);
  expect(stdout).toContain('Verbs, with the flags they require');
});
