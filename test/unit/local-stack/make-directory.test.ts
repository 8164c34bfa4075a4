import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../../../scripts/lib/make-directory.mjs';

const module = fileURLToPath(new URL('../../../scripts/lib/make-directory.mjs', import.meta.url));

describe('creating a directory', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'card-payments-directory-'))));
  afterEach(() => rmSync(parent, { recursive: true }));

  it('creates its missing parents, and succeeds when it exists', () => {
    const path = join(parent, 'a', 'b');
    makeDirectory(path, { mode: 0o700 });
    makeDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('fails where a file has the name', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(() => makeDirectory(file)).toThrow('EEXIST');
    // Node.js 20 reports the directory that cannot be created, later versions the file in its way.
    expect(() => makeDirectory(join(file, 'below'))).toThrow(/^(ENOTDIR|EEXIST): .*file/);
  });

  // In its own process with a limit, because a loop would block this one for ever.
  it('fails at once below /proc, where nothing can be created', () => {
    const program = `
      import { makeDirectory } from ${JSON.stringify(module)};
      try { makeDirectory('/proc/x/y'); } catch (error) { console.log(error.code); }`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stdout).toMatch(/^E[A-Z]+\n$/);
  });
});
