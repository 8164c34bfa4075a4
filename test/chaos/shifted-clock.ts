import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../support/harness/project-root.ts';
import type { Change } from './change-plan.ts';
import { type ChangeContext, type ChangeUnderWay, untilFound } from './changes.ts';

/** Loaded before the process; shifts its `Date`. */
const preload = pathToFileURL(join(projectRoot, 'test', 'support', 'shifted-clock.mjs')).href;

/** How long to wait for the process, in ms, because it must take part in the payments. */
const startMs = 20_000;

/** Returns how often the process logged that it is ready. */
const countStarts = (logsDirectory: string, name: string): number =>
  readFileSync(join(logsDirectory, `${name}.log`), 'utf8').split(/"(?:worker|api) ready"/).length - 1;

/** Restarts a process with a wrong clock, and with the right one when the faults are over. */
export function shiftClock(
  { target, shiftMs }: Extract<Change, { kind: 'shifted-clock' }>,
  context: ChangeContext,
): ChangeUnderWay {
  const { stack, note } = context;
  const shift = async (): Promise<void> => {
    const starts = countStarts(stack.logsDirectory, target);
    note(`the clock of ${target} is ${shiftMs / 1000} s ahead`);
    const environment = { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) };
    stack.restartWith(target, { environment });
    const isUp = async () => countStarts(stack.logsDirectory, target) > starts || null;
    await untilFound(isUp, startMs, context);
  };
  const ready = shift();
  return {
    ready,
    done: ready,
    heal: () => {
      note(`the clock of ${target} is right`);
      stack.restartWith(target, { environment: { NODE_OPTIONS: '', CLOCK_SHIFT_MS: '0' } });
    },
    end: async () => undefined,
  };
}
