import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tryLock, withLock } from '../../../scripts/lib/lock.mjs';
import { processIdentity } from '../../../scripts/lib/process-identity.mjs';

const lockModule = fileURLToPath(new URL('../../../scripts/lib/lock.mjs', import.meta.url));

describe('a lock file', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'card-payments-lock-'));
    path = join(directory, 'lock');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('has one holder and returns it to the next caller', () => {
    expect(tryLock(path).lock).toBeDefined();
    expect(tryLock(path).holder).toMatchObject({ pid: process.pid });
  });

  it('can be taken again after its release', () => {
    tryLock(path).lock?.release();
    expect(existsSync(path)).toBe(false);
    expect(tryLock(path).lock).toBeDefined();
  });

  it('stores the state of its holder', () => {
    tryLock(path).lock?.update({ stopping: true });
    expect(tryLock(path).holder).toMatchObject({ pid: process.pid, stopping: true });
  });

  it.each([
    ['of a process that has ended', { pid: 2 ** 22 + 1, startedAt: 'then' }],
    ['of an earlier process with the number of a running one', { pid: process.pid, startedAt: 'earlier' }],
  ])('%s is taken over', (_what, holder) => {
    writeFileSync(path, JSON.stringify(holder));
    expect(tryLock(path).lock).toBeDefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      pid: process.pid,
      startedAt: processIdentity(process.pid),
    });
  });

  it('is released when the work fails', async () => {
    const failing = withLock(path, { timeoutMs: 1_000 }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
  });

  it('serializes processes that compete for a stale lock', async () => {
    writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: 'then' }));
    const log = join(directory, 'log');
    const script = `
      import { appendFileSync } from 'node:fs';
      import { withLock } from ${JSON.stringify(lockModule)};
      for (let turn = 0; turn < 5; turn += 1)
        await withLock(${JSON.stringify(path)}, { timeoutMs: 30000 }, async () => {
          appendFileSync(${JSON.stringify(log)}, 'in ' + process.pid + '\\n');
          await new Promise((resolve) => setImmediate(resolve));
          appendFileSync(${JSON.stringify(log)}, 'out ' + process.pid + '\\n');
        });`;
    const runs = Array.from({ length: 4 }, () => run(['--input-type=module', '-e', script]));
    expect(await Promise.all(runs)).toEqual([0, 0, 0, 0]);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(40);
    for (let index = 0; index < lines.length; index += 2) {
      expect(lines[index + 1]).toBe(lines[index]?.replace('in', 'out'));
    }
  }, 60_000);
});

function run(args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.once('exit', resolve));
}
