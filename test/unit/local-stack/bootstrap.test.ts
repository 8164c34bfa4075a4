import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../../scripts', import.meta.url));

/** Installs the packages of the lock file, slowly enough for two runs to overlap, and records each run. */
const NPM = `
const { appendFileSync, copyFileSync, mkdirSync, rmSync } = require('node:fs');
appendFileSync('npm-runs', process.argv.slice(2).join(' ') + '\\n');
if (process.env.NPM_FAILS) process.exit(7);
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules');
setTimeout(() => copyFileSync('package-lock.json', 'node_modules/.package-lock.json'), 300);
`;

describe('the first start of a clone', () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'card-payments-clone-'));
    cpSync(scripts, join(clone, 'scripts'), { recursive: true });
    mkdirSync(join(clone, 'npm'));
    writeFileSync(join(clone, 'npm', 'npm-cli.js'), NPM);
    writeFileSync(join(clone, 'package.json'), '{}');
    writeLock('1.0.0');
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  const writeLock = (version: string): void =>
    writeFileSync(join(clone, 'package-lock.json'), lockFile({ 'node_modules/a': { version } }));
  const lockFile = (packages: Record<string, { version: string; optional?: boolean }>): string =>
    JSON.stringify({ packages: { '': { version: '1.0.0' }, ...packages } });
  const npmRuns = (): string[] =>
    existsSync(join(clone, 'npm-runs'))
      ? readFileSync(join(clone, 'npm-runs'), 'utf8').trim().split('\n')
      : [];

  function bootstrap(
    environment: NodeJS.ProcessEnv = {},
  ): Promise<{ exitCode: number | null; stderr: string }> {
    const program = `
      import { bootstrap } from './scripts/bootstrap.mjs';
      import { reportingProblems } from './scripts/lib/problem.mjs';
      await reportingProblems(bootstrap);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: clone,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        npm_execpath: join(clone, 'npm', 'npm-cli.js'),
        ...environment,
      },
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    return new Promise((resolve) => child.once('close', (exitCode) => resolve({ exitCode, stderr })));
  }

  it('installs once, development packages too', async () => {
    expect((await bootstrap({ NODE_ENV: 'production' })).exitCode).toBe(0);
    expect((await bootstrap()).exitCode).toBe(0);
    expect(npmRuns()).toEqual([expect.stringMatching(/^ci --include=dev/)]);
  });

  it('installs once for two starts at the same time', async () => {
    const [one, two] = await Promise.all([bootstrap(), bootstrap()]);
    expect([one.exitCode, two.exitCode]).toEqual([0, 0]);
    expect(npmRuns()).toHaveLength(1);
  });

  it('accepts an installation by the user without the packages of other platforms', async () => {
    const others = {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(clone, 'package-lock.json'), lockFile(others));
    mkdirSync(join(clone, 'node_modules'));
    writeFileSync(
      join(clone, 'node_modules', '.package-lock.json'),
      lockFile({ 'node_modules/a': { version: '1.0.0' } }),
    );
    expect((await bootstrap()).exitCode).toBe(0);
    expect(npmRuns()).toEqual([]);
  });

  it('installs again when the lock file changed', async () => {
    await bootstrap();
    writeLock('2.0.0');
    expect((await bootstrap()).exitCode).toBe(0);
    expect(npmRuns()).toHaveLength(2);
  });

  it('reports a failure of npm in one line, and tries again at the next start', async () => {
    const { exitCode, stderr } = await bootstrap({ NPM_FAILS: '1' });
    expect(exitCode).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^error: npm ci failed with exit code 7/);
    expect((await bootstrap()).exitCode).toBe(0);
    expect(npmRuns()).toHaveLength(2);
  });
});
