import { build } from 'esbuild';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type SimulatorName = 'vault' | 'network' | 'stripe' | 'pci-vault';

/** A simulator in its own process, with its output. */
export interface SimulatorProcess {
  child: ChildProcess;
  out: string[];
  err: string[];
}

/** Returns the folder of a simulator below simulators/; dialects have their own. */
const folderOf = (name: SimulatorName): string =>
  name === 'vault' || name === 'network' ? name : `dialects/${name}`;

/** Builds simulators into a new folder, with the files beside them. Returns the folder. */
async function buildSimulators(names: readonly SimulatorName[]): Promise<string> {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  const built = await mkdtemp(join(ROOT, '.cache', 'simulators-test-'));
  for (const name of names) {
    await build({
      entryPoints: [join(ROOT, 'simulators', folderOf(name), 'main.ts')],
      outfile: join(built, folderOf(name), 'main.js'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  }
  await cp(join(ROOT, 'src/card-frame/assets'), join(built, 'vault/assets'), { recursive: true });
  await cp(join(ROOT, 'simulators/network/pages.css'), join(built, 'network/pages.css'));
  const stripeScript = 'dialects/stripe/stripe-js.js';
  await cp(join(ROOT, 'simulators', stripeScript), join(built, stripeScript));
  return built;
}

/** Starts a built simulator with these settings alone. */
function forkSimulator(built: string, name: SimulatorName, settings: NodeJS.ProcessEnv): SimulatorProcess {
  const env = { PATH: process.env['PATH'], ...settings };
  const child = fork(join(built, folderOf(name), 'main.js'), { env, silent: true, execArgv: [] });
  const simulator: SimulatorProcess = { child, out: [], err: [] };
  child.stdout?.on('data', (chunk: Buffer) => simulator.out.push(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => simulator.err.push(chunk.toString()));
  return simulator;
}

/** The addresses and folder of the simulators of a test file. */
export interface SimulatorAddress<Name extends SimulatorName> {
  url: (name: Name) => string;
  port: (name: Name) => number;
  /** Folder of the current test. */
  data: () => string;
}

/** Simulators of a test file, each a process that a test may kill. */
export interface SimulatorProcesses<Name extends SimulatorName> extends SimulatorAddress<Name> {
  /** Starts one with `over` laid over its settings, without waiting for it. */
  spawn: (name: Name, over?: NodeJS.ProcessEnv) => SimulatorProcess;
  /** Starts one and waits until it reports that it is ready. */
  start: (name: Name) => Promise<SimulatorProcess>;
  /**
   * Makes twenty calls at once, three times. Each time the process is killed during them and restarted, and
   * every call is made again. Returns the answers from before the kills.
   */
  killAmid: <Answer>(
    name: Name,
    call: (index: number) => Promise<Answer>,
    prepare?: (indexes: readonly number[]) => Promise<void>,
  ) => Promise<{ answered: Answer[]; again: Answer[] }>;
}

const rounds = 3;
const callsAtOnce = 20;

/** Builds simulators for a test file and cleans up after each test, and after the last. */
export function useSimulatorProcesses<Name extends SimulatorName>(
  names: readonly Name[],
  settingsOf: (place: SimulatorAddress<Name>) => NodeJS.ProcessEnv,
): SimulatorProcesses<Name> {
  let built: string;
  let data: string;
  let ports: ReadonlyMap<Name, number>;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    built = await buildSimulators(names);
    const free = await freePorts(names.length);
    ports = new Map(names.map((name, index) => [name, free[index] ?? 0]));
  });
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'simulator-processes-'));
  });
  afterEach(async () => {
    await killAll(children.splice(0));
    await rm(data, { recursive: true, force: true });
  });
  afterAll(() => rm(built, { recursive: true, force: true }));

  const port = (name: Name): number => ports.get(name) ?? 0;
  const place = { port, url: (name: Name) => `http://127.0.0.1:${port(name)}`, data: () => data };
  const spawn = (name: Name, over: NodeJS.ProcessEnv = {}): SimulatorProcess => {
    const simulator = forkSimulator(built, name, { ...settingsOf(place), ...over });
    children.push(simulator.child);
    return simulator;
  };
  const start = async (name: Name): Promise<SimulatorProcess> => {
    const simulator = spawn(name);
    const [message] = (await once(simulator.child, 'message')) as unknown[];
    expect(message).toEqual({ type: 'ready' });
    return simulator;
  };
  return {
    ...place,
    spawn,
    start,
    killAmid: async (name, call, prepare) => {
      let { child } = await start(name);
      const answered: Awaited<ReturnType<typeof call>>[] = [];
      const again: Awaited<ReturnType<typeof call>>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const indexes = Array.from({ length: callsAtOnce }, (_, at) => round * callsAtOnce + at);
        await prepare?.(indexes);
        const killed = child;
        const sent = indexes.map(async (index, at) => {
          answered.push(await call(index));
          if (at === callsAtOnce / 2) killed.kill('SIGKILL');
        });
        await Promise.allSettled(sent);
        killed.kill('SIGKILL');
        if (killed.signalCode === null) await once(killed, 'exit');
        ({ child } = await start(name));
        again.push(...(await Promise.all(indexes.map((index) => call(index)))));
      }
      return { answered, again };
    },
  };
}

/** Kills processes that still run. */
async function killAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
