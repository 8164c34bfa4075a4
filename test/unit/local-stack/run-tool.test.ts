import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, decisiveLine } from '../../../local-stack/run-tool.ts';

describe('running a command', () => {
  let directory: string;
  let logFile: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'card-payments-tool-'));
    logFile = join(directory, 'log');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const node = (script: string, timeoutMs: number, signal?: AbortSignal) =>
    runTool(process.execPath, ['-e', script], { logFile, timeoutMs, signal });

  it.each([
    [
      'an error before a stack trace',
      'started\nError: no such thing\n    at place (file:1)\n\nNode.js v20.0.0\n',
      'Error: no such thing',
    ],
    [
      'a fatal line of PostgreSQL',
      'LOG:  starting\nFATAL:  lock file exists\nHINT:  look\n',
      'FATAL:  lock file exists',
    ],
    [
      'the message of a JSON log line',
      '{"level":60,"msg":"port taken"}\n{"level":30,"msg":"bye"}\n',
      'Error: port taken',
    ],
    ['the last line otherwise', 'one\ntwo\n\n', 'two'],
    ['a fixed text for an empty log', '', 'it printed nothing'],
  ])('explains its failure by %s', (_what, log, line) => {
    writeFileSync(logFile, log);
    expect(decisiveLine(logFile)).toBe(line);
  });

  it('fails with the last error of the command', async () => {
    await expect(node('console.error("Error: no space"); process.exit(3)', 20_000)).rejects.toThrow(
      /^node\S* failed \(exit code 3\): Error: no space \(log: /,
    );
  });

  it('fails for a command that does not exist', async () => {
    await expect(runTool('/nowhere/tool', [], { logFile, timeoutMs: 1_000 })).rejects.toThrow(
      /tool failed .*ENOENT/,
    );
  });

  it('ends a command that takes too long', async () => {
    await expect(node('setInterval(() => {}, 1000)', 300)).rejects.toThrow(/failed \(SIGKILL\)/);
  });

  it('ends the command when aborted, with the reason of the abort', async () => {
    const stop = new AbortController();
    const running = node('setInterval(() => {}, 1000)', 20_000, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
  });
});
