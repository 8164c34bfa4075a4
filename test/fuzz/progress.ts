import { readFileSync, writeFileSync } from 'node:fs';

/** Time between two lines of a long run, in ms. */
export const progressEveryMs = 5_000;

/** The progress of a run. */
export interface Progress {
  done: number;
  requests: number;
  unclassified: number;
  /** The last answer that was not classified. */
  last: string | null;
  /** Memory of the API's process, in MiB. */
  memoryMib: number;
}

/** Writes the progress of a run to `path`, now and regularly until the returned function is called. */
export function writeProgress(path: string, now: () => Progress): () => void {
  const write = (): void => writeFileSync(path, lineOf(now()));
  write();
  const timer = setInterval(write, progressEveryMs);
  return () => {
    clearInterval(timer);
    write();
  };
}

/**
 * Passes the line in `path` to `say` whenever it has changed, at most every few seconds, until the returned
 * function is called. Before the first line it reports once that the servers start.
 */
export function reportProgress(path: string, logLine: (line: string) => void): () => void {
  let shown = 'starts its servers';
  logLine(shown);
  const timer = setInterval(() => {
    let line: string;
    try {
      line = readFileSync(path, 'utf8');
    } catch {
      return;
    }
    if (line !== shown && line !== '') logLine((shown = line));
  }, progressEveryMs);
  return () => clearInterval(timer);
}

const lineOf = ({ done, requests, unclassified, last, memoryMib }: Progress): string =>
  `${done} of ${requests} requests done, ${unclassified} unclassified${last === null ? '' : ` (the last: ${last})`}, ` +
  `API ${memoryMib} MiB`;
