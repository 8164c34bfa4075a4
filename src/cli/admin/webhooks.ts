import type { Command } from 'commander';
import { type DeliveryStatus, deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { listDeliveries } from '../../db/webhooks/delivery-reads.ts';
import {
  listEndpoints,
  loadEndpoint,
  updateEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/endpoints.ts';
import { deliveriesTo, sealCursor } from '../../operations/list-cursor.ts';
import { rotateSecret } from '../../webhooks/endpoint-secrets.ts';
import { checkEndpointUrl } from '../../webhooks/endpoint-url.ts';
import { isEventFilter } from '../../domain/event-types.ts';
import { createEndpoint, replay, replayEnd, sendTest } from '../../operations/webhooks/endpoints.ts';
import { problems } from '../problems.ts';
import {
  byOperator,
  operatorActor,
  operate,
  type Operator,
  OperatorError,
  uuidFlag,
  withCommonFlags,
} from './operator.ts';
import { ofTenant, pageSize, positionOf, type TenantFlags, withDeliveries } from './webhook-parts.ts';

interface Flags {
  dataDir: string;
  endpoint: string;
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

const ofEndpoint = (command: Command): Command =>
  withCommonFlags(command.requiredOption('--endpoint <id>', 'endpoint id', uuidFlag('--endpoint')));

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

function instantFlag(name: string): (text: string) => Date {
  return (text) => {
    const at = new Date(text);
    if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(at.getTime())) {
      throw new OperatorError(problems.instant(name));
    }
    return at;
  };
}
