import { build } from 'esbuild';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type SimulatorName = 'vault' | 'network' | 'stripe' | 'pci-vault';

/** A simulator that runs as a process of its own, with what it wrote. */
export interface SimulatorProcess {
  child: ChildProcess;
  out: string[];
  err: string[];
}

/** Builds simulators into a new folder, with the files that stand beside them; returns the folder. */
export async function buildSimulators(names: readonly SimulatorName[]): Promise<string> {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const built = await mkdtemp(join(ROOT, '.cache', 'simulators-test-'));
  for (const name of names) {
    await build({
      entryPoints: [join(ROOT, 'simulators', name, 'main.ts')],
      outfile: join(built, name, 'main.js'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  }
  await cp(join(ROOT, 'src/card-frame/assets'), join(built, 'vault/assets'), { recursive: true });
  await cp(join(ROOT, 'simulators/network/pages.css'), join(built, 'network/pages.css'));
  return built;
}

/** Starts a built simulator with these settings alone. */
export function forkSimulator(
  built: string,
  name: SimulatorName,
  settings: NodeJS.ProcessEnv,
): SimulatorProcess {
  const env = { PATH: process.env['PATH'], ...settings };
  const child = fork(join(built, name, 'main.js'), { env, silent: true, execArgv: [] });
  const simulator: SimulatorProcess = { child, out: [], err: [] };
  child.stdout?.on('data', (chunk: Buffer) => simulator.out.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => simulator.err.push(chunk.toString()));
  return simulator;
}

/** Kills processes that are still there. */
export async function killAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
