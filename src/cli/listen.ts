import { Command, CommanderError } from 'commander';
import { cursorPath, openCursor } from './listen/cursor.ts';
import { createEventLog } from './listen/event-log.ts';
import { forwardEvents } from './listen/forward.ts';
import { ListenError, listenTarget } from './listen/target.ts';

interface Flags {
  forwardTo: string;
  apiKey?: string;
  baseUrl?: string;
  events?: string;
  fromStart?: boolean;
  skipFailed?: boolean;
  dataDir: string;
}

/**
 * `listen --forward-to URL`: forwards the events of an account to a receiver on the developer's machine, in
 * the order of the log, signed with a secret that stays the same. After a pause it continues where it
 * stopped. docs/webhooks.md.
 */
const program = new Command('listen')
  .description('Forward the events of your account to a local receiver.')
  .requiredOption('--forward-to <url>', 'where your receiver listens')
  .option('--api-key <key>', 'your API key; else CARD_PAYMENTS_API_KEY, else the running stack’s sandbox key')
  .option('--base-url <url>', 'the service; else CARD_PAYMENTS_URL, else the running stack')
  .option('--events <filter>', 'only this type, or a group such as payment.*')
  .option('--from-start', 'at the first start: begin with the oldest event instead of the next one')
  .option(
    '--skip-failed',
    'skip an event after three failures instead of trying until the receiver accepts it',
  )
  .option('--data-dir <dir>', 'data directory of the running stack; the cursor is kept there', '.local')
  .exitOverride()
  .configureOutput({ writeErr: () => undefined });

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

try {
  program.parse();
  await listen(program.opts<Flags>());
} catch (error) {
  if (!(error instanceof CommanderError && error.exitCode === 0) && !stopping.signal.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message.replace(/^error: /, '') : 'failed'}\n`);
    process.exitCode = 1;
  }
}

async function listen(flags: Flags): Promise<void> {
  if (!URL.canParse(flags.forwardTo) || !/^https?:/.test(flags.forwardTo)) {
    throw new ListenError('--forward-to must be a URL such as http://127.0.0.1:4242/webhook');
  }
  const target = listenTarget(flags);
  const log = createEventLog({ ...target, filter: flags.events ?? null, signal: stopping.signal });
  const path = cursorPath(flags.dataDir, { ...target, forwardTo: flags.forwardTo });
  const cursor = await openCursor(path, () =>
    flags.fromStart === true ? Promise.resolve('start') : log.newest(),
  );
  say(`Forwarding the events of ${target.baseUrl} to ${flags.forwardTo}`);
  say(`Signing secret of your receiver: ${cursor.secret} (the same at every start)`);
  await forwardEvents({
    log,
    cursor,
    forwardTo: flags.forwardTo,
    maxTries: flags.skipFailed === true ? 3 : null,
    signal: stopping.signal,
    say,
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
