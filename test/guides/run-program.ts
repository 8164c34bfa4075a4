import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { type Language, type Program, blockAt } from './blocks.ts';

/** What a program needs to run: where it is written, and the Python that has the packed client. */
export interface Shop {
  /** Has the packed npm packages in its `node_modules`. */
  directory: string;
  python: string;
  env: NodeJS.ProcessEnv;
}

/** How the blocks of one program ended. */
export interface Result {
  program: Program;
  run: number;
  failed: number;
  seconds: number;
  /** Names the file and the line of what failed, then what the program printed. Empty when nothing did. */
  report: string;
}

/** The longest that a program may take. */
const programMs = 60_000;
const longestOutput = 20_000;

interface Ended {
  code: number | null;
  output: string;
}

/** Runs a program to its end. Blocks behind the one that failed count as failed: they did not run. */
export async function runProgram(program: Program, shop: Shop): Promise<Result> {
  const { blocks, file, language } = program;
  const startedAt = performance.now();
  const { code, output } = await start(program, shop);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (code === 0) return { program, run: blocks.length, failed: 0, seconds, report: '' };
  const line = failedLine(program, output);
  const at = line === null ? null : blockAt(blocks, line);
  const passed = at ?? 0;
  const why = code === null ? `was stopped after ${programMs / 1_000} s` : `exit code ${code}`;
  const place = `${file}:${line ?? blocks[0]?.line ?? 1}`;
  return {
    program,
    run: passed + 1,
    failed: blocks.length - passed,
    seconds,
    report: `${place}: ${language}: ${why}\n${output.trim()}`,
  };
}

/** Returns the line of the guide that an error's text names as the place of the failure; null without one. */
export function failedLine({ file, language }: Program, output: string): number | null {
  const escaped = file.replaceAll(/[.\\]/g, String.raw`\$&`);
  const places = [...output.matchAll(new RegExp(`${escaped}(?::|", line )(\\d+)`, 'g'))];
  // Node.js names the innermost call first; Python and the shell name it last.
  const place = language === 'ts' ? places[0] : places.at(-1);
  return place === undefined ? null : Number(place[1]);
}

async function start(program: Program, shop: Shop): Promise<Ended> {
  const [command, args] = await commands[program.language](program, shop);
  // A group of its own, so that what the program started ends with it.
  const child = spawn(command, args, {
    cwd: shop.directory,
    env: shop.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-longestOutput)));
  }
  let isOver = false;
  const stopGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it runs any more.
    }
  };
  const timer = setTimeout(() => {
    isOver = true;
    stopGroup();
  }, programMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    return { code: isOver ? null : (code ?? 1), output };
  } finally {
    clearTimeout(timer);
    stopGroup();
  }
}

type Command = [string, string[]];

const commands: Record<Language, (program: Program, shop: Shop) => Promise<Command> | Command> = {
  sh: ({ file, source }, { directory }) => {
    const path = join(directory, `${nameOf(file)}.sh`);
    // On the first line, so that every other line keeps its number: `set` ends the program at a failure.
    const trap = `set -Eeuo pipefail; trap 'echo "${file}:$LINENO" >&2' ERR;`;
    writeFileSync(path, `${trap} ${source}`);
    return ['bash', [path]];
  },
  ts: async ({ file, source }, { directory }) => {
    const path = join(directory, `${nameOf(file)}.mjs`);
    const options = { loader: 'ts', sourcemap: 'inline', sourcefile: file, target: 'node20' } as const;
    writeFileSync(path, (await transform(source, options)).code);
    return [process.execPath, ['--enable-source-maps', path]];
  },
  python: ({ file, source }, { directory, python }) => {
    const path = join(directory, `${nameOf(file)}.py`);
    writeFileSync(path, source);
    const run = `import sys; path, name = sys.argv[1:]; exec(compile(open(path).read(), name, "exec"), {"__name__": "__main__"})`;
    return [python, ['-c', run, path, file]];
  },
};

const nameOf = (file: string): string => file.replaceAll(/[^\w]+/g, '-');
