import { uuidv7 } from 'uuidv7';
import type { Actor, By } from '../../domain/audit.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { sealContext } from '../../crypto/seal-contexts.ts';
import { type Database, inTransaction } from '../../db/server/database.ts';
import { recordChange } from '../../db/server/audit.ts';
import { recordStarted, renewDeliveries, unstartedDeliveries } from '../../db/webhooks/deliveries.ts';
import { type ReplayRange, countReplay } from '../../db/webhooks/replays.ts';
import { insertEndpointEvent } from '../../db/webhooks/events.ts';
import type { DeliveryRef, StartableDelivery } from '../../domain/event.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import { type WebhookEndpoint, insertEndpoint, recordEndpointChange } from '../../db/webhooks/endpoints.ts';
import type { DeliveryWorkflows } from '../../temporal/clients/deliveries.ts';
import { testEventType } from '../../domain/event-types.ts';
import { createSigningSecret } from '../../webhooks/signing.ts';

/** The dependencies of operations on endpoints and deliveries, which API and operator command share. */
export interface WebhookOperationDeps {
  database: Database;
  keyring: Keyring;
  deliveries: DeliveryWorkflows;
  now: () => number;
}

/**
 * Adds an endpoint with a new secret, which is shown only now. Returns `unknown` for an unknown merchant,
 * `full` when there are too many.
 */
export async function createEndpoint(
  deps: Pick<WebhookOperationDeps, 'database' | 'keyring'>,
  endpoint: Tenant & { url: string; events: string[] | null; description: string | null },
  by: By,
): Promise<{ endpoint: WebhookEndpoint; secret: string } | 'unknown' | 'full'> {
  const id = uuidv7();
  const secret = createSigningSecret();
  const secretSealed = deps.keyring.seal(secret, sealContext.webhookSecret(id));
  const inserted = await insertEndpoint(deps.database, { ...endpoint, id, secretSealed }, by);
  if (inserted === 'full') return 'full';
  return inserted ? { endpoint: inserted, secret } : 'unknown';
}

/** Sends an `endpoint.test` event to one endpoint. Returns the event's id. */
export async function sendTest(
  deps: WebhookOperationDeps,
  endpoint: WebhookEndpoint,
  actor: Actor,
): Promise<string> {
  const by = { actor, at: new Date(deps.now()) };
  const eventId = await insertEndpointEvent(deps.database, {
    merchantId: endpoint.merchantId,
    environment: endpoint.environment,
    endpointId: endpoint.id,
    type: testEventType,
    data: { endpointId: endpoint.id },
    at: by.at,
  });
  await inTransaction(deps.database, (transaction) =>
    recordEndpointChange(transaction, endpoint, 'webhook.tested', { before: null, after: { eventId } }, by),
  );
  await startSoon(deps, await unstartedDeliveries(deps.database, eventId), false);
  return eventId;
}

/** Sends a tenant's event again. Returns the endpoints that get it. */
export async function redeliver(
  deps: WebhookOperationDeps,
  tenant: Tenant,
  eventId: string,
  endpointId: string | null,
  actor: Actor,
): Promise<string[]> {
  const at = new Date(deps.now());
  const renewed = await inTransaction(deps.database, async (transaction) => {
    const begun = await renewDeliveries(transaction, eventId, endpointId, at);
    await recordChange(transaction, {
      actor,
      at,
      merchantId: tenant.merchantId,
      environment: tenant.environment,
      action: 'event.redelivered',
      subject: { type: 'event', id: eventId },
      before: null,
      after: { endpointIds: begun.map((delivery) => delivery.endpointId) },
    });
    return begun;
  });
  await startSoon(deps, renewed, true);
  return renewed.map((delivery) => delivery.endpointId);
}

/**
 * Sends chosen deliveries again, each to its own enabled endpoint. Returns the number of deliveries that are
 * sent. The caller has checked that they are the tenant's.
 */
export async function redeliverChosen(
  deps: WebhookOperationDeps,
  tenant: Tenant,
  chosen: readonly DeliveryRef[],
  actor: Actor,
): Promise<number> {
  const at = new Date(deps.now());
  const renewed = await inTransaction(deps.database, async (transaction) => {
    const begun: StartableDelivery[] = [];
    // In one order, so that two requests with the same deliveries do not block each other.
    const sorted = [...chosen].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (const { eventId, endpointId } of sorted) {
      begun.push(...(await renewDeliveries(transaction, eventId, endpointId, at)));
    }
    for (const { eventId, endpointId } of begun) {
      await recordChange(transaction, {
        ...{ actor, at, ...tenant, action: 'event.redelivered', subject: { type: 'event', id: eventId } },
        ...{ before: null, after: { endpointIds: [endpointId] } },
      });
    }
    return begun;
  });
  await startSoon(deps, renewed, true);
  return renewed.length;
}

const keyOf = ({ eventId, endpointId }: DeliveryRef): string => `${eventId} ${endpointId}`;

/** Starts a replay, or with `dryRun` only counts its events. Throws when Temporal cannot be reached. */
export async function replay(
  deps: WebhookOperationDeps,
  endpoint: WebhookEndpoint,
  requested: Omit<ReplayRange, 'endpointId'>,
  { dryRun, actor }: { dryRun: boolean; actor: Actor },
): Promise<{ id: string | null; matched: number }> {
  const range = { ...requested, endpointId: endpoint.id };
  const matched = await countReplay(deps.database, range);
  if (dryRun || matched === 0) return { id: null, matched };
  const id = uuidv7();
  const { since, until, ...rest } = range;
  await deps.deliveries.startReplay(id, { ...rest, sinceMs: since.getTime(), untilMs: until.getTime() });
  const by = { actor, at: new Date(deps.now()) };
  await inTransaction(deps.database, (transaction) =>
    recordEndpointChange(
      transaction,
      endpoint,
      'webhook.replayed',
      { before: null, after: { ...requested, matched } },
      by,
    ),
  );
  return { id, matched };
}

/** Starts deliveries now. While Temporal is unavailable, the sweep starts them from their rows. */
async function startSoon(
  deps: WebhookOperationDeps,
  deliveries: StartableDelivery[],
  evenIfEarly: boolean,
): Promise<void> {
  await Promise.all(
    deliveries.map(async (delivery) => {
      try {
        await (evenIfEarly ? deps.deliveries.deliverNow(delivery) : deps.deliveries.start(delivery, false));
      } catch {
        return;
      }
      await recordStarted(deps.database, delivery, new Date(deps.now()));
    }),
  );
}

/** Returns the end of a replay's range, never in the future; null when the range would be empty. */
export function replayEnd(
  { since, until }: { since: Date; until?: Date | undefined },
  now: Date,
): Date | null {
  const end = until === undefined || until > now ? now : until;
  return since < end ? end : null;
}
