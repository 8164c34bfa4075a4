import { spawnSync } from 'node:child_process';
import { projectRoot } from '../support/harness/project-root.ts';

const run = (...flags: string[]) =>
  spawnSync(process.execPath, ['scripts/run.mjs', 'test/deterministic/main.js', ...flags], {
    cwd: projectRoot,
    encoding: 'utf8',
    timeout: 300_000,
  });

it('gives the same story of a seed twice, and another of another seed', () => {
  const [first, again, other] = ['3', '3', '4'].map((seed) => {
    const { status, signal, stdout, stderr } = run('--seed', seed, '--until', '700');
    expect({ status, signal, stderr: status === 0 ? '' : stderr }).toEqual({
      status: 0,
      signal: null,
      stderr: '',
    });
    return stdout;
  });
  expect(first?.split('\n').length).toBeGreaterThan(100);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
}, 600_000);

it('refuses an unknown flag in one line, with exit code 2', () => {
  const { status, stderr } = run('--nonsense');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: unknown option '--nonsense'[^\n]*\n$/);
});
