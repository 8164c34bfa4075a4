import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../../local-stack/cache-dir.ts';
import { Problem } from '../../../scripts/lib/problem.mjs';
import { projectRoot } from './project-root.ts';

const installMs = 300_000;

/**
 * Installs exactly the packages in a file of requirements with hashes, once for all clones of this user and
 * each interpreter. Returns the folder of the programs. Throws a Problem without the interpreter (3.11 or
 * later unless the requirements say otherwise, with venv) or PyPI.
 */
export async function installPython(
  name: string,
  requirements: string,
  interpreter = 'python3',
): Promise<string> {
  const version = createHash('sha256')
    .update(readFileSync(requirements))
    .update(interpreter === 'python3' ? '' : interpreter)
    .digest('hex')
    .slice(0, 16);
  const directory = join(cacheDir(name), version);
  const bin = join(directory, process.platform === 'win32' ? 'Scripts' : 'bin');
  const done = join(directory, 'installed');
  if (existsSync(done)) return bin;
  const steps: [string, string[]][] = [
    [interpreter, ['-m', 'venv', '--clear', directory]],
    [
      join(bin, 'python'),
      [
        ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
        ...['--require-hashes', '--only-binary', ':all:', '--requirement', requirements],
      ],
    ],
  ];
  for (const [program, args] of steps) {
    const code = await runProgram(installMs, program, args).catch(() => null);
    if (code !== 0) {
      throw new Problem(
        `${name} could not be installed: it needs ${interpreter} (3.11 or later, with venv) and PyPI`,
      );
    }
  }
  writeFileSync(done, '');
  return bin;
}

/** Runs a program with our output; returns its exit code, null when it had to be ended. */
export async function runProgram(timeoutMs: number, program: string, args: string[]): Promise<number | null> {
  const child = spawn(program, args, {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: timeoutMs,
    // Python must not write its bytecode into the clone.
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const stop = (): void => void child.kill();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
