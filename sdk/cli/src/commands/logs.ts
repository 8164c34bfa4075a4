import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type ApiRequest, type Event, NotFoundError } from '../../../typescript/src/index.ts';
import {
  type CommonFlags,
  contextOf,
  type Context,
  stopSignal,
  subcommand,
  untilStopped,
} from '../command.ts';
import { createEventLog } from '../listen/event-log.ts';
import { createRequestLog } from '../listen/request-log.ts';
import { type Cell, printable } from '../output.ts';

const pollMs = 1_000;
const requestPollMs = 2_000;
/** The calls that this command itself makes to follow; printed only on request. */
const own = ['GET /v1/requests', 'GET /v1/events'];

type TailFlags = CommonFlags & {
  events?: string;
  fromStart?: boolean;
  status?: RegExp;
  path?: string;
};

/** `logs tail`: prints API calls and events as they happen. */
export function addLogs(program: Command): void {
  const logs = program.command('logs').description('Follow what happens in your account.');
  subcommand(logs, 'tail', 'Print the API calls and the events of your account until you stop it.')
    .option('--events <filter>', 'only events, of this type or of a group such as payment.*')
    .option('--from-start', 'begin with the oldest event instead of the next one')
    .option('--status <status>', 'only calls with this status, such as 409 or 4xx', statusOf)
    .option('--path <part>', 'only calls whose path has this part, such as /pay')
    .action(tail);
}

function statusOf(text: string): RegExp {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) throw new InvalidArgumentError('It must be such as 409 or 4xx.');
  return new RegExp(`^${text.toLowerCase().replace('xx', '\\d\\d')}$`);
}

async function tail(flags: TailFlags): Promise<void> {
  const context = contextOf(flags);
  const signal = stopSignal();
  const ofCalls = flags.status !== undefined || flags.path !== undefined;
  const ofEvents = flags.events !== undefined || flags.fromStart === true;
  await untilStopped(signal, async () => {
    await Promise.all([
      ...(ofEvents || !ofCalls ? [followEvents(context, flags, signal)] : []),
      ...(ofCalls || !ofEvents ? [followRequests(context, flags, signal)] : []),
    ]);
  });
}

async function followEvents({ cp, output }: Context, flags: TailFlags, signal: AbortSignal): Promise<void> {
  const log = createEventLog({ cp, filter: flags.events ?? null, signal });
  let after = flags.fromStart === true ? 'start' : await log.newest();
  for (;;) {
    const events = await log.after(after);
    for (const { event } of events) {
      output.line(event, () => eventLine(event));
      after = event.id;
    }
    if (events.length === 0) await sleep(pollMs, undefined, { signal });
  }
}

function eventLine(event: Event): string {
  const { id, reference, status } = event.data as Record<string, Cell>;
  return [event.timestamp, event.type, event.id, id, status, reference].map(printable).join('  ').trimEnd();
}

async function followRequests({ cp, output }: Context, flags: TailFlags, signal: AbortSignal): Promise<void> {
  const log = createRequestLog({ cp, signal });
  const isWanted = ({ method, path, status }: ApiRequest): boolean =>
    (flags.path === undefined ? !own.includes(`${method} ${path}`) : path.includes(flags.path)) &&
    (flags.status === undefined || flags.status.test(String(status)));
  try {
    // Calls that were stored before the start are not printed. A call is stored a moment after its answer.
    await log.unseen();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    process.stderr.write('This service lists no API calls, because its version is older.\n');
    return;
  }
  for (;;) {
    await sleep(requestPollMs, undefined, { signal });
    for (const request of (await log.unseen()).filter(isWanted)) {
      output.line({ type: 'request', ...request }, () => requestLine(request));
    }
  }
}

const requestLine = ({ at, status, method, path, id, durationMs, errorCode }: ApiRequest): string =>
  [at, status, method, path, `${durationMs} ms`, id, errorCode].map(printable).join('  ').trimEnd();
