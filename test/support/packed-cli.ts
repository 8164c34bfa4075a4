import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './harness/project-root.ts';

const run = promisify(execFile);
const source = join(projectRoot, 'sdk', 'cli');

/** The command of sdk/cli as merchants install it. */
export interface PackedCli {
  /** Contains everything; the test removes it. */
  directory: string;
  tarball: string;
  size: number;
  files: string[];
  /** The installed command. */
  main: string;
}

/** Builds and packs the command, and unpacks it outside the repository. */
export async function packCli(): Promise<PackedCli> {
  const directory = await mkdtemp(join(tmpdir(), 'card-payments-cli-'));
  const copy = join(directory, 'source');
  await mkdir(copy);
  for (const name of ['package.json', 'README.md']) await copyFile(join(source, name), join(copy, name));
  const env = { ...process.env, NODE_OPTIONS: '' };
  await run(process.execPath, [join(source, 'build.mjs'), join(copy, 'dist')], { env });
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
    cwd: copy,
    env,
  });
  const [archive] = JSON.parse(stdout) as { filename: string; size: number; files: { path: string }[] }[];
  if (archive === undefined) throw new Error('npm packed nothing');
  const tarball = join(directory, archive.filename);
  await run('tar', ['-xzf', tarball, '-C', directory]);
  return {
    directory,
    tarball,
    size: archive.size,
    files: archive.files.map(({ path }) => path),
    main: join(directory, 'package', 'dist', 'main.js'),
  };
}

/** The result of a command. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs the command to its end in an empty environment. `input` is what is typed, `onOutput` receives all
 * output so far whenever there is more, and `stop` ends the command as Ctrl-C does.
 */
export function runCli(
  cli: PackedCli,
  args: readonly string[],
  options: {
    env?: Record<string, string>;
    input?: string;
    onOutput?: (text: string) => void;
    stop?: AbortSignal;
  } = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [cli.main, ...args], {
    cwd: cli.directory,
    env: { PATH: process.env['PATH'], HOME: cli.directory, ...options.env },
  });
  const ended: CommandResult = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      ended[name] += chunk.toString();
      options.onOutput?.(ended.stdout + ended.stderr);
    });
  }
  options.stop?.addEventListener('abort', () => child.kill('SIGINT'));
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}
