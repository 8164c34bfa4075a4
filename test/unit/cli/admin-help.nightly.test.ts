import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { verbs } from '../../../src/cli/texts.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const admin = join(projectRoot, 'dist/src/cli/admin.js');
const help = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [admin, ...words, '--help'])).stdout;

let overview: string;
/** A directory with the files that examples name. */
let files: string;
beforeAll(async () => {
  overview = await help();
  files = await mkdtemp(join(tmpdir(), 'admin-examples-'));
  await writeFile(join(files, 'smtp-url.txt'), 'smtp://user:password@smtp.example.org:587');
});
afterAll(() => rm(files, { recursive: true }));

const all = Object.entries(verbs);

it.each(all)('%s is in the overview, with its description and required flags', (words, { does }) => {
  const lines = overview.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^ {2}${words}( --|$)`).test(line));
  expect(lines[at + 1]?.trim()).toBe(does);
});

it('the overview has an example, and names only existing verbs', () => {
  expect(overview).toMatch(
    /Example:\n {2}npm run --silent admin -- payment list --merchant \S+ --environment /,
  );
  const listed = overview
    .split('\nExample:')[0]
    ?.match(/^ {2}[a-z]+( [a-z-]+)?(?= --|$)/gm)
    ?.map((line) => line.trim());
  expect(listed?.toSorted()).toEqual(Object.keys(verbs).toSorted());
});

it.each(all)('the example of %s is accepted by its flags', async (words, { example }) => {
  const named = words.split(' ');
  const shown = await help(...named);
  expect(shown).toContain(`Example:\n  ${`npm run --silent admin -- ${words} ${example}`.trim()}`);
  // No server listens there, so the database is refused, and not the call.
  const args = (example.match(/"[^"]*"|\S+/g) ?? []).map((part) => part.replaceAll('"', ''));
  const ran = await promisify(execFile)(process.execPath, [admin, ...named, ...args], {
    cwd: files,
    env: { PATH: process.env['PATH'], DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  }).catch((error: { stdout: string; stderr: string }) => error);
  expect(words === 'doctor' ? ran.stdout : ran.stderr).toMatch(refusalOf(words));
});

/** Returns the message of a command when no server listens. */
function refusalOf(words: string): RegExp {
  // `doctor` prints this fault among others.
  if (words === 'doctor') return /nothing listens there \(ECONNREFUSED\)/;
  // This command needs no database, but a key service.
  if (words === 'keys wrap') return /^KEY_ENCRYPTION is local, which wraps nothing/;
  // Every other command begins with PostgreSQL's time.
  return /^the database is not reachable/;
}
