import { spawnSync } from 'node:child_process';
import { parseFlags } from '../../support/harness/flags.ts';
import { projectRoot } from '../../support/harness/project-root.ts';

const tool = {
  name: 'test:it',
  does: 'Tests.',
  flags: {
    times: { takes: 'n', means: 'how often', otherwise: '3' },
    dryRun: { means: 'only say what would be done' },
  },
} as const;

it('returns given flags, and the documented default of others', () => {
  expect(parseFlags(tool, ['--times', '7'])).toEqual({ times: '7', dryRun: false });
});

it.each([[['--nonsense']], [['surplus']], [['--times']]])(
  'refuses %j in one line that names the fix',
  (args) => {
    expect(() => parseFlags(tool, args)).toThrow(/^[^\n]+; npm run test:it -- --help lists the flags$/u);
  },
);

it.each([
  'test:chaos',
  'test:clients',
  'test:fuzz',
  'test:python',
  'test:soak',
  'test:simulation',
  'test:schemathesis',
  'bench',
])('npm run %s refuses an unknown flag in one line', (script) => {
  const scripts = { ...process.env, npm_config_loglevel: 'silent' };
  const { status, stderr } = spawnSync('npm', ['run', '--silent', script, '--', '--nonsense'], {
    cwd: projectRoot,
    env: scripts,
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(status).toBe(1);
  const errorLines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('npm warn'));
  expect(errorLines.at(-1)).toMatch(/^error: .*--nonsense/u);
  expect(stderr).not.toMatch(/^\s+at /mu);
});
