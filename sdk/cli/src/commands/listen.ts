import type { Command } from 'commander';
import { type CommonFlags, contextOf, stopSignal, subcommand, untilStopped } from '../command.ts';
import { misused } from '../errors.ts';
import { cursorPath, openCursor } from '../listen/cursor.ts';
import { createEventLog } from '../listen/event-log.ts';
import { forwardEvents } from '../listen/forward.ts';
import { createOutput } from '../output.ts';

type Flags = CommonFlags & {
  forwardTo: string;
  events?: string;
  fromStart?: boolean;
  skipFailed?: boolean;
};

/**
 * `listen --forward-to URL`: forwards the events of an account to a receiver on the developer's machine, in
 * the order of the log, signed with a secret that stays the same. After a pause it continues where it
 * stopped. docs/webhooks.md.
 */
export function addListen(program: Command): void {
  subcommand(program, 'listen', 'Forward the events of your account to a local receiver.')
    .requiredOption('--forward-to <url>', 'where your receiver listens')
    .option('--events <filter>', 'only this type, or a group such as payment.*')
    .option('--from-start', 'at the first start: begin with the oldest event instead of the next one')
    .option(
      '--skip-failed',
      'skip an event after three failures instead of trying until the receiver accepts it',
    )
    .action(listen);
}

async function listen(flags: Flags): Promise<void> {
  const { forwardTo } = flags;
  if (!URL.canParse(forwardTo) || !/^https?:/.test(forwardTo)) {
    throw misused('--forward-to must be a URL such as http://127.0.0.1:4242/webhook');
  }
  const { cp, target } = contextOf(flags);
  const output = createOutput(flags);
  const signal = stopSignal();
  const log = createEventLog({ cp, filter: flags.events ?? null, signal });
  const path = cursorPath(flags.dataDir, { ...target, forwardTo });
  await untilStopped(signal, async () => {
    const cursor = await openCursor(path, () =>
      flags.fromStart === true ? Promise.resolve('start') : log.newest(),
    );
    const { baseUrl } = target;
    output.line({ forwarding: baseUrl, forwardTo, signingSecret: cursor.secret }, () =>
      [
        `Forwarding the events of ${baseUrl} to ${forwardTo}`,
        `Signing secret of your receiver: ${cursor.secret} (the same at every start)`,
      ].join('\n'),
    );
    await forwardEvents({
      log,
      cursor,
      forwardTo,
      maxTries: flags.skipFailed === true ? 3 : null,
      signal,
      report: (report) =>
        output.line(report, () => {
          const { type, eventId, result, durationMs, next } = report;
          const took = durationMs === null ? '' : ` (${durationMs} ms)`;
          return `${type}  ${eventId}  → ${result}${took}${next === null ? '' : `\n  ${next}`}`;
        }),
    });
  });
}
