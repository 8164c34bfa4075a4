import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type CommonFlags, contextOf, stopSignal, subcommand, untilStopped } from '../command.ts';
import { type Cell, printable } from '../output.ts';
import { createEventLog } from '../listen/event-log.ts';

const pollMs = 1_000;

/** `logs tail`: prints events as they happen. */
export function addLogs(program: Command): void {
  const logs = program.command('logs').description('Follow what happens in your account.');
  subcommand(logs, 'tail', 'Print the events of your account as they happen, until you stop it.')
    .option('--events <filter>', 'only this type, or a group such as payment.*')
    .option('--from-start', 'begin with the oldest event instead of the next one')
    .action(tail);
}

async function tail(flags: CommonFlags & { events?: string; fromStart?: boolean }): Promise<void> {
  const { cp, output } = contextOf(flags);
  const signal = stopSignal();
  const log = createEventLog({ cp, filter: flags.events ?? null, signal });
  await untilStopped(signal, async () => {
    let after = flags.fromStart === true ? 'start' : await log.newest();
    for (;;) {
      const events = await log.after(after);
      for (const { event } of events) {
        const { id, reference, status } = event.data as Record<string, Cell>;
        output.line(event, () =>
          [event.timestamp, event.type, event.id, id, status, reference].map(printable).join('  ').trimEnd(),
        );
        after = event.id;
      }
      if (events.length === 0) await sleep(pollMs, undefined, { signal });
    }
  });
}
