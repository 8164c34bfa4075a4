import { spawnSync } from 'node:child_process';
import { projectRoot } from '../support/harness/project-root.ts';
import { networkOf } from './providers.ts';

/** What `race.ts` prints of a seed. */
interface Race {
  oneRow: string[];
  crossed: string[];
  frozen: string[];
  term: { begin: object; end: object };
  rows: { names: string }[];
  story: string[];
}

const run = (program: string, ...flags: string[]) =>
  spawnSync(process.execPath, ['scripts/run.mjs', `test/deterministic/${program}`, ...flags], {
    cwd: projectRoot,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 100_000_000,
  });

/** Runs a program that must succeed. Returns what it printed. */
function play(program: string, ...flags: string[]): string {
  const { status, signal, stdout, stderr } = run(program, ...flags);
  expect({ status, signal, stderr: status === 0 ? '' : stderr }).toEqual({
    status: 0,
    signal: null,
    stderr: '',
  });
  return stdout;
}

const storyOf = (seed: string, until = '6000'): string => play('main.js', '--seed', seed, '--until', until);

it.each([
  ['tombstone', '1', '6000'],
  ['stripe', '2', 'to the end'],
  ['horizon', '3', '6000'],
] as const)(
  'gives the same story twice of a seed that plays %s',
  (network, seed, until) => {
    expect(networkOf(Number(seed))).toBe(network);
    const steps = until === 'to the end' ? '1000000' : until;
    const first = storyOf(seed, steps);
    expect(first.split('\n').length).toBeGreaterThan(1_000);
    expect(storyOf(seed, steps)).toBe(first);
  },
  600_000,
);

it('plays a seed after another one as it plays the seed alone', () => {
  const stepsOf = (from: string, payments: string): string[] =>
    run('main.js', '--from', from, '--payments', payments)
      .stderr.split('\n')
      .filter((line) => line.startsWith('seed '));
  // More than one seed plays, and how many depends on what they draw.
  const [first, second] = stepsOf('3', '80');
  expect(first).toMatch(/^seed 3: /);
  expect(second).toMatch(/^seed 4: /);
  expect(stepsOf('4', '1')).toEqual([second]);
}, 600_000);

it('gives another story of another seed', () => {
  expect(storyOf('4')).not.toBe(storyOf('1'));
}, 600_000);

it('repeats a seed on a real server, whose sessions wait for locks', () => {
  const flags = ['--backend', 'server', '--seed', '3', '--until', '2500'];
  const [first, again] = [play('main.js', ...flags), play('main.js', ...flags)];
  expect(first.split('\n').length).toBeGreaterThan(300);
  expect(again).toBe(first);
}, 600_000);

it('lets the seed decide which of two transactions on a real server is the first', () => {
  const seeds = ['1', '2', '3', '4', '5', '6'];
  const races = play('race.js', ...seeds, ...seeds)
    .trim()
    .split('\n');
  expect(races.slice(seeds.length)).toEqual(races.slice(0, seeds.length));
  const played = races.slice(0, seeds.length).map((line) => JSON.parse(line) as Race);
  for (const { oneRow, crossed, frozen, term, story } of played) {
    expect(oneRow).toEqual(['committed', 'committed']);
    // PostgreSQL ends one of two transactions that wait for each other, and one that is idle for too long.
    expect(crossed).toEqual(expect.arrayContaining(['committed']));
    expect([frozen[0] === 'committed', frozen[1]]).toEqual([false, 'committed']);
    // A term of sweeps begins after the last transaction of the term before.
    expect(term.begin).toEqual(term.end);
    expect(story.join()).toContain('waits for a lock');
  }
  expect(new Set(played.map(({ rows }) => rows[0]?.names))).toEqual(new Set(['ab', 'ba']));
  expect(played.flatMap(({ crossed }) => crossed)).toContain('40P01');
}, 300_000);

it('prints which lines of the money path were executed', () => {
  const printed = play('main.js', '--coverage', '--seed', '3', '--until', '3000');
  const groups = ['workflows', 'activities', 'operations', 'db/payments', 'db/refunds', 'db/disputes'];
  for (const group of groups) {
    const [, covered, all] =
      new RegExp(`^${group}: (\\d+) of (\\d+) lines, [\\d.]+ %$`, 'm').exec(printed) ?? [];
    expect(Number(covered)).toBeGreaterThan(0);
    expect(Number(covered)).toBeLessThan(Number(all));
  }
  expect(printed).toMatch(/^operations\/restore\/find-lost\.js [\d.]+ %, not covered: \d/m);
}, 600_000);

it('refuses an unknown flag in one line, with exit code 2', () => {
  const { status, stderr } = run('main.js', '--nonsense');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: unknown option '--nonsense'[^\n]*\n$/);
});
