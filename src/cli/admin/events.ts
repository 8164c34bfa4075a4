import type { Command } from 'commander';
import { allEvents, listEvents } from '../../db/webhooks/event-lists.ts';
import { isEventId, loadEvent } from '../../db/webhooks/events.ts';
import { eventLog, sealCursor } from '../../operations/list-cursor.ts';
import { redeliver } from '../../operations/webhooks/endpoints.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import { problems } from '../problems.ts';
import { addEventVerify } from './event-verify.ts';
import { operate, operatorActor, OperatorError, uuidFlag, withCommonFlags } from './operator.ts';
import { ofTenant, pageSize, positionOf, type TenantFlags, withDeliveries } from './webhook-parts.ts';

/** `event list|show|redeliver|verify`. */
export function eventCommands(program: Command): void {
  const event = program.command('event').description('The event log');
  ofTenant(event.command('list'))
    .option('--payment <id>', 'only events of this payment', uuidFlag('--payment'))
    .option('--cursor <cursor>', 'nextCursor of the page of 100 before')
    .action(async (flags: TenantFlags & { payment?: string; cursor?: string }) =>
      operate(flags, async ({ database, keyring }) => {
        const tenant = { merchantId: flags.merchant, environment: flags.environment };
        const filter = { ...allEvents, paymentId: flags.payment ?? null };
        const list = eventLog(filter);
        const position = positionOf(keyring, tenant, list, flags.cursor);
        const { rows, next } = await listEvents(database, tenant, filter, position, pageSize);
        return {
          events: rows.map(eventEnvelope),
          nextCursor: next && sealCursor(keyring, tenant, list, next),
        };
      }),
    );
  addEventVerify(event);
  withCommonFlags(event.command('show').requiredOption('--event <id>', 'event id, evt_…', eventFlag)).action(
    async (flags: { event: string; dataDir: string }) =>
      operate(flags, async ({ database }) => {
        const found = await loadEvent(database, flags.event);
        if (!found) throw new OperatorError(problems.noEvent(flags.event));
        return { ...eventEnvelope(found), merchantId: found.merchantId };
      }),
  );
  withCommonFlags(
    event
      .command('redeliver')
      .requiredOption('--event <id>', 'event id, evt_…', eventFlag)
      .option('--endpoint <id>', 'only to this endpoint', uuidFlag('--endpoint')),
  ).action(async (flags: { event: string; endpoint?: string; dataDir: string }) =>
    operate(flags, (operator) =>
      withDeliveries(operator, async (deps) => {
        const found = await loadEvent(operator.database, flags.event);
        if (!found) throw new OperatorError(problems.noEvent(flags.event));
        const actor = operatorActor();
        return {
          eventId: flags.event,
          endpointIds: await redeliver(deps, found, flags.event, flags.endpoint ?? null, actor),
        };
      }),
    ),
  );
}

function eventFlag(text: string): string {
  if (!isEventId(text)) throw new OperatorError(problems.eventId);
  return text;
}
