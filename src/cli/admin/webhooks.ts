import type { Command } from 'commander';
import { type DeliveryStatus, deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { listDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { allEvents, listEvents } from '../../db/webhooks/event-lists.ts';
import { isEventId, loadEvent } from '../../db/webhooks/events.ts';
import {
  listEndpoints,
  loadEndpoint,
  updateEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/endpoints.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Environment } from '../../domain/statuses.ts';
import {
  type CursorList,
  deliveriesTo,
  eventLog,
  openCursor,
  sealCursor,
} from '../../operations/list-cursor.ts';
import { createTemporalClient } from '../../temporal/connection.ts';
import { createDataConverter } from '../../temporal/data-converter.ts';
import { createDeliveryWorkflows } from '../../temporal/clients/deliveries.ts';
import { rotateSecret } from '../../webhooks/endpoint-secrets.ts';
import { checkEndpointUrl } from '../../webhooks/endpoint-url.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import { isEventFilter } from '../../domain/event-types.ts';
import {
  createEndpoint,
  redeliver,
  replay,
  replayEnd,
  sendTest,
  type WebhookOperationDeps,
} from '../../operations/webhooks/endpoints.ts';
import { problems } from '../texts.ts';
import { addEventVerify } from './event-verify.ts';
import {
  byOperator,
  operatorActor,
  environmentFlag,
  operate,
  type Operator,
  OperatorError,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';

/** The number of rows in one answer. */
const pageSize = 100;

interface Flags {
  dataDir: string;
  endpoint: string;
}

interface TenantFlags {
  dataDir: string;
  merchant: string;
  environment: Environment;
}

/** `webhook …`: endpoints, their deliveries, tests and replays. docs/operations.md. */
export function webhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('Webhook endpoints and their deliveries');
  ofTenant(webhook.command('create'))
    .requiredOption('--url <url>', 'address of the endpoint')
    .option('--events <list>', 'only these types or groups, e.g. payment.paid,refund.*', filtersFlag)
    .action(async (flags: TenantFlags & { url: string; events?: string[] }) =>
      operate(flags, async ({ database, keyring, settings, now }) => {
        const checked = checkEndpointUrl(flags.url, {
          allowLoopback: settings.DEPLOYMENT === 'development',
        });
        if (!checked.ok) throw new OperatorError(problems.invalidUrl(checked.reason));
        const created = await createEndpoint(
          { database, keyring },
          {
            merchantId: flags.merchant,
            environment: flags.environment,
            url: flags.url,
            events: flags.events ?? null,
            description: null,
          },
          byOperator(now),
        );
        if (created === 'unknown') throw new OperatorError(problems.noMerchant(flags.merchant));
        if (created === 'full') throw new OperatorError(problems.tooManyEndpoints);
        return { endpointId: created.endpoint.id, secret: created.secret };
      }),
    );
  ofTenant(webhook.command('list')).action(async (flags: TenantFlags) =>
    operate(flags, async ({ database }) => {
      const tenant = { merchantId: flags.merchant, environment: flags.environment };
      const { endpoints } = await listEndpoints(database, tenant, { page: 1, perPage: 100 });
      return { endpoints };
    }),
  );
  ofEndpoint(webhook.command('rotate')).action(async (flags: Flags) =>
    operate(flags, async ({ database, keyring, now }) => {
      const rotated = await rotateSecret({ database, keyring }, flags.endpoint, byOperator(now));
      if (!rotated) throw new OperatorError(problems.noEndpoint(flags.endpoint));
      return {
        endpointId: flags.endpoint,
        secret: rotated.secret,
        previousSecretExpiresAt: rotated.previousSecretUntil.toISOString(),
      };
    }),
  );
  for (const [verb, status] of [
    ['disable', 'disabled'],
    ['enable', 'enabled'],
  ] as const) {
    ofEndpoint(webhook.command(verb)).action(async (flags: Flags) =>
      operate(flags, async ({ database, now }) => {
        const changes = { status, disabledBy: 'operator' } as const;
        if (!(await updateEndpoint(database, flags.endpoint, changes, byOperator(now)))) {
          throw new OperatorError(problems.noEndpoint(flags.endpoint));
        }
        return { endpointId: flags.endpoint, status };
      }),
    );
  }
  deliveryCommands(webhook);
}

/** The verbs that list an endpoint's deliveries and resend them. */
function deliveryCommands(webhook: Command): void {
  ofEndpoint(webhook.command('deliveries'))
    .option('--status <status>', deliveryStatuses.join(', '), statusFlag)
    .option('--cursor <cursor>', 'nextCursor of the page of 100 before')
    .action(async (flags: Flags & { status?: DeliveryStatus; cursor?: string }) =>
      operate(flags, async ({ database, keyring }) => {
        const endpoint = await loadEndpoint(database, flags.endpoint);
        if (!endpoint) throw new OperatorError(problems.noEndpoint(flags.endpoint));
        const filter = { status: flags.status ?? null, from: null, until: null };
        const list = deliveriesTo(endpoint.id, filter);
        const position = positionOf(keyring, endpoint, list, flags.cursor);
        const { rows, next } = await listDeliveries(database, endpoint.id, filter, position, pageSize);
        return { deliveries: rows, nextCursor: next && sealCursor(keyring, endpoint, list, next) };
      }),
    );
  ofEndpoint(webhook.command('test')).action(async (flags: Flags) =>
    operate(flags, (operator) =>
      withDeliveries(operator, async (deps) => ({
        eventId: await sendTest(deps, await usableEndpoint(operator, flags.endpoint), operatorActor()),
      })),
    ),
  );
  ofEndpoint(webhook.command('replay'))
    .requiredOption('--since <instant>', 'first instant, e.g. 2026-03-01T00:00:00Z', instantFlag('--since'))
    .option('--until <instant>', 'end, exclusive; default: now', instantFlag('--until'))
    .option('--types <list>', 'only these types or groups', filtersFlag)
    .option('--status <failed|all>', 'failed: only what was not delivered', replayStatusFlag, 'failed')
    .option('--dry-run', 'only count')
    .action(
      async (
        flags: Flags & {
          since: Date;
          until?: Date;
          types?: string[];
          status: 'failed' | 'all';
          dryRun?: boolean;
        },
      ) =>
        operate(flags, (operator) =>
          withDeliveries(operator, async (deps) => {
            const endpoint = await usableEndpoint(operator, flags.endpoint);
            const until = replayEnd(flags, new Date(operator.now()));
            if (until === null) throw new OperatorError(problems.sinceNotBeforeUntil);
            const { since, types = null, status } = flags;
            const range = { since, until, types, status };
            const how = { dryRun: flags.dryRun === true, actor: operatorActor() };
            const begun = await replay(deps, endpoint, range, how);
            return { endpointId: endpoint.id, replayId: begun.id, matched: begun.matched };
          }),
        ),
    );
}

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

const ofTenant = (command: Command): Command =>
  withCommonFlags(
    command
      .requiredOption('--merchant <id>', 'merchant id', uuidFlag('--merchant'))
      .requiredOption('--environment <name>', 'sandbox or live', environmentFlag),
  );

const ofEndpoint = (command: Command): Command =>
  withCommonFlags(command.requiredOption('--endpoint <id>', 'endpoint id', uuidFlag('--endpoint')));

/** Runs `work` with a client that can start workflows, and closes it afterwards. */
async function withDeliveries<T>(
  { database, keyring, settings, now }: Operator,
  work: (deps: WebhookOperationDeps) => Promise<T>,
): Promise<T> {
  const client = createTemporalClient(
    { address: settings.TEMPORAL_ADDRESS, namespace: settings.TEMPORAL_NAMESPACE },
    createDataConverter(keyring),
  );
  const deliveries = createDeliveryWorkflows({ client, queuePrefix: settings.TASK_QUEUE_PREFIX, now });
  try {
    return await work({ database, keyring, deliveries, now });
  } finally {
    await client.connection.close();
  }
}

async function usableEndpoint({ database }: Operator, id: string): Promise<WebhookEndpoint> {
  const endpoint = await loadEndpoint(database, id);
  if (!endpoint) throw new OperatorError(problems.noEndpoint(id));
  if (endpoint.status === 'disabled') {
    throw new OperatorError(problems.disabledEndpoint(id));
  }
  return endpoint;
}

function filtersFlag(text: string): string[] {
  const filters = text.split(',').map((part) => part.trim());
  if (!filters.every(isEventFilter)) {
    throw new OperatorError(problems.eventTypes);
  }
  return filters;
}

function statusFlag(text: string): DeliveryStatus {
  const found = deliveryStatuses.find((status) => status === text);
  if (!found) throw new OperatorError(problems.oneOf('--status', deliveryStatuses));
  return found;
}

function replayStatusFlag(text: string): 'failed' | 'all' {
  if (text !== 'failed' && text !== 'all')
    throw new OperatorError(problems.either('--status', ['failed', 'all']));
  return text;
}

/** Returns the position in a cursor; null without one. Throws `OperatorError` for another list's cursor. */
function positionOf<Position>(
  keyring: Keyring,
  tenant: Tenant,
  list: CursorList<Position>,
  cursor: string | undefined,
): Position | null {
  if (cursor === undefined) return null;
  const position = openCursor(keyring, tenant, list, cursor);
  if (position === null) throw new OperatorError(problems.cursor);
  return position;
}

function instantFlag(name: string): (text: string) => Date {
  return (text) => {
    const at = new Date(text);
    if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(at.getTime())) {
      throw new OperatorError(problems.instant(name));
    }
    return at;
  };
}

function eventFlag(text: string): string {
  if (!isEventId(text)) throw new OperatorError(problems.eventId);
  return text;
}
