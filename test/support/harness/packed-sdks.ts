import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '../../../scripts/lib/problem.mjs';
import { projectRoot } from './project-root.ts';
import { runProgram } from './python-tools.ts';

const run = promisify(execFile);
const runMs = 240_000;

/** Builds and packs an npm package of `sdk/`. Returns the path of the packed file, in `directory`. */
export async function packNpm(name: 'typescript' | 'cli', directory: string): Promise<string> {
  const source = join(projectRoot, 'sdk', name);
  const copy = join(directory, `${name}-package`);
  mkdirSync(copy, { recursive: true });
  for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(copy, file));
  const env = { ...process.env, NODE_OPTIONS: '' };
  await run(process.execPath, [join(source, 'build.mjs'), join(copy, 'dist')], { env });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: copy,
    env,
  });
  const [archive] = JSON.parse(stdout) as { filename: string }[];
  if (archive === undefined) throw new Problem(`sdk/${name} could not be packed`);
  return join(directory, archive.filename);
}

/**
 * Packs the Python client, and installs the packed file with its dependencies. Returns the file, and a Python
 * that also finds the packages of `bin`.
 */
export async function installPackedPython(
  bin: string,
  directory: string,
): Promise<{ wheel: string; python: string }> {
  const python = join(bin, 'python');
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const packed = join(directory, 'packed');
  const shop = join(directory, 'shop');
  const own = join(shop, 'bin', 'python');
  const quiet = ['--no-deps', '--no-index'];
  const source = join(projectRoot, 'sdk', 'python');
  const steps = [
    [...pip, 'wheel', ...quiet, '--no-build-isolation', '--wheel-dir', packed, source],
    ['-m', 'venv', '--without-pip', shop],
    [join(projectRoot, 'test', 'python', 'share_packages.py'), join(shop, 'lib')],
  ];
  for (const args of steps) {
    if ((await runProgram(runMs, python, args)) !== 0) throw new Problem('the client could not be packed');
  }
  const [name = ''] = readdirSync(packed);
  const wheel = join(packed, name);
  const installed = await runProgram(runMs, python, [...pip, '--python', own, 'install', ...quiet, wheel]);
  if (installed !== 0) throw new Problem('the packed client could not be installed');
  return { wheel, python: own };
}
