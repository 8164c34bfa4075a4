import type { Command } from 'commander';
import { type CommonFlags, contextOf, subcommand } from '../command.ts';

/** `events redeliver`: sends an event again. */
export function addEvents(program: Command): void {
  const events = program.command('events').description('Send events again.');
  subcommand(events, 'redeliver', 'Send an event again, whatever earlier deliveries did.')
    .argument('<id>', 'id of the event, evt_…')
    .option('--endpoint <id>', 'only to this endpoint; else to all that receive its type')
    .action(redeliver);
}

async function redeliver(id: string, flags: CommonFlags & { endpoint?: string }): Promise<void> {
  const { cp, output } = contextOf(flags);
  const { endpoint } = flags;
  const sent = await cp.events.redeliver(id, endpoint === undefined ? {} : { endpointId: endpoint });
  const count = sent.endpointIds.length;
  output.result(sent, () => `Sending ${id} to ${count} ${count === 1 ? 'endpoint' : 'endpoints'}.`);
}
