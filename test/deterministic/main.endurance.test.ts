import { spawnSync } from 'node:child_process';
import { projectRoot } from '../support/harness/project-root.ts';
import { networkOf } from './providers.ts';

const run = (...flags: string[]) =>
  spawnSync(process.execPath, ['scripts/run.mjs', 'test/deterministic/main.js', ...flags], {
    cwd: projectRoot,
    encoding: 'utf8',
    timeout: 300_000,
  });

const storyOf = (seed: string): string => {
  const { status, signal, stdout, stderr } = run('--seed', seed, '--until', '6000');
  expect({ status, signal, stderr: status === 0 ? '' : stderr }).toEqual({
    status: 0,
    signal: null,
    stderr: '',
  });
  return stdout;
};

it.each([
  ['tombstone', '1'],
  ['stripe', '2'],
  ['horizon', '3'],
] as const)(
  'gives the same story twice of a seed that plays %s',
  (network, seed) => {
    expect(networkOf(Number(seed))).toBe(network);
    const first = storyOf(seed);
    expect(first.split('\n').length).toBeGreaterThan(1_000);
    expect(storyOf(seed)).toBe(first);
  },
  600_000,
);

it('gives another story of another seed', () => {
  expect(storyOf('4')).not.toBe(storyOf('1'));
}, 600_000);

it('refuses an unknown flag in one line, with exit code 2', () => {
  const { status, stderr } = run('--nonsense');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: unknown option '--nonsense'[^\n]*\n$/);
});
