import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CardPayments, Event, EventType } from '../../../typescript/src/index.ts';
import { type CommonFlags, contextOf, subcommand } from '../command.ts';
import { misused, refused } from '../errors.ts';
import { runRecipe, triggerType, triggerTypes } from '../trigger/recipes.ts';

const pollMs = 250;
const longestWaitMs = 60_000;

/** `trigger <event type>`: creates real objects in the sandbox until an event of that type happens. */
export function addTrigger(program: Command): void {
  subcommand(program, 'trigger', 'Make an event happen in the sandbox, with real objects.')
    .argument('<event>', 'type of the event, such as payment.paid')
    .addHelpText('after', `\nThe types are ${triggerTypes.join(', ')}.`)
    .action(trigger);
}

async function trigger(name: string, flags: CommonFlags): Promise<void> {
  const type = triggerType(name);
  if (type === undefined) {
    throw misused(`Unknown event type "${name}": use one of ${triggerTypes.join(', ')}.`);
  }
  const { cp, target, output } = contextOf(flags);
  if (target.environment === 'live') throw misused('trigger needs a sandbox key, and this one is live.');
  const made = await runRecipe(type, cp);
  const event = 'event' in made ? made.event : await untilEvent(cp, type, made.paymentId);
  output.result(event, () => {
    const about = 'paymentId' in made ? ` of payment ${made.paymentId}` : '';
    return `${event.type}  ${event.id}${about}`;
  });
}

async function untilEvent(cp: CardPayments, type: EventType, paymentId: string): Promise<Event> {
  const end = Date.now() + longestWaitMs;
  for (;;) {
    const [event] = (await cp.events.list({ type, paymentId, limit: 1 })).data;
    if (event !== undefined) return event;
    if (Date.now() > end) {
      throw refused(
        `No ${type} of payment ${paymentId} came within 60 s: see card-payments payments timeline.`,
      );
    }
    await sleep(pollMs);
  }
}
