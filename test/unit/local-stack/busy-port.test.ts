import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/harness/project-root.ts';

/** Creates a clone without packages: a start that reaches the installation fails with another message. */
function clone(): string {
  const directory = mkdtempSync(join(tmpdir(), 'card-payments-clone-'));
  cpSync(join(projectRoot, 'scripts'), join(directory, 'scripts'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  return directory;
}

it.each([
  ['--port N', (port: number) => ['--port', String(port)]],
  ['--port=N', (port: number) => [`--port=${port}`]],
])('refuses a busy port before anything is installed or built: %s', async (_form, args) => {
  const directory = clone();
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const start = join(directory, 'scripts', 'start.mjs');
  const busy = await promisify(execFile)(process.execPath, [start, ...args(port)]).catch(
    (error: { code: number; stderr: string }) => error,
  );
  await new Promise((resolve) => {
    server.close(resolve);
  });
  const free = spawnSync(process.execPath, [start, ...args(port)], { encoding: 'utf8' });
  rmSync(directory, { recursive: true, force: true });
  expect(busy).toMatchObject({
    code: 1,
    stderr: `error: port ${port} is busy: free it or choose another with --port\n`,
  });
  expect(free.stderr).toContain('package-lock.json');
});
