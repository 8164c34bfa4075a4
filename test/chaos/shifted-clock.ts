import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../support/harness/project-root.ts';
import type { Change } from './change-plan.ts';
import { type ChangeContext, type ChangeUnderWay, pause } from './changes.ts';

/** Loaded before the process: shifts its `Date`. */
const preload = pathToFileURL(join(projectRoot, 'test', 'support', 'shifted-clock.mjs')).href;

/** Starts a process again with a wrong clock; with the right one when the faults are over. */
export function shiftClock(
  { target, atMs, shiftMs }: Extract<Change, { kind: 'shifted-clock' }>,
  context: ChangeContext,
): ChangeUnderWay {
  const { stack, note } = context;
  const shift = async (): Promise<void> => {
    await pause(atMs, context);
    note(`the clock of ${target} is ${shiftMs / 1000} s ahead`);
    const environment = { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) };
    stack.restartWith(target, { environment });
  };
  return {
    done: shift(),
    heal: () => {
      note(`the clock of ${target} is right`);
      stack.restartWith(target, { environment: { NODE_OPTIONS: '', CLOCK_SHIFT_MS: '0' } });
    },
    end: async () => undefined,
  };
}
