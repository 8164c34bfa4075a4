import { EventPage } from './event-page.tsx';
import { DevelopersPage, paymentOf, requestLogLink } from './page.tsx';
import { listEventDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { listEndpoints } from '../../db/webhooks/endpoints.ts';
import { newKey } from '../../crypto/api-key.ts';
import { allEvents, listEvents } from '../../db/webhooks/event-lists.ts';
import { findEvent } from '../../db/webhooks/events.ts';
import { findTenantKey, insertKey, listKeys, revokeKey, rollKey } from '../../db/merchants/merchant-keys.ts';
import { paymentReferences } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { grantableScopes } from '../../domain/members.ts';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { isAddressOrNetwork, maxAddresses } from '../../operations/address-list.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import { type WebhookOperationDeps, redeliver } from '../../operations/webhooks/endpoints.ts';
import { eventLog } from '../../operations/list-cursor.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { SandboxDeps } from '../../operations/sandbox/operation.ts';
import { centsOf } from '../parts/format.ts';
import { cursorPages, perPage, positionOf } from '../parts/paging.ts';
import { eventName } from '../parts/event-name.tsx';
import { catchRefusal, fieldError, formError, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { injectFaultFromForm } from './sandbox-handlers.ts';
import { type OneTimeSecretDeps, redirectToSecret, takeSecret } from '../parts/one-time-secret.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

const text = texts.developers;

/** How long a rolled key continues to work, in ms. */
const overlapMs = 24 * 3_600_000;
const longestName = 80;

interface ShowDeps extends OneTimeSecretDeps {
  lists: TenantReads;
}

/** The cache of API keys. */
export interface CachedKeys {
  clear: () => void;
}

async function show(deps: ShowDeps, visit: Visit, more: { why?: FormError } = {}) {
  const { tenant } = visit;
  const source = eventLog(allEvents);
  const { position, notice } = positionOf(deps.keyring, visit, source);
  const { keys, events, references, next } = await deps.lists.read(tenant, async (database) => {
    const found = await listEvents(database, tenant, allEvents, position, perPage);
    return {
      keys: await listKeys(database, tenant, 100),
      events: found.rows,
      next: found.next,
      references: await paymentReferences(
        database,
        tenant,
        found.rows.flatMap((one) => paymentOf(one) ?? []),
      ),
    };
  });
  const pages = cursorPages(deps.keyring, visit, '/developers', source, next);
  const { why } = more;
  const made = takeSecret(deps, visit, 'key');
  const aside = requestLogLink(visit.frame);
  return sendPage(visit, { title: text.title, section: 'developers', aside, notice, ...why }, (frame) =>
    DevelopersPage({ frame, keys, made, events, references, pages }),
  );
}

/** Whether scopes exceed what the member may grant; null: everything. */
const exceeds = (wanted: readonly Scope[] | null, grantable: readonly Scope[] | null): boolean =>
  grantable !== null && (wanted === null || wanted.some((scope) => !grantable.includes(scope)));

/** POST /developers/keys: creates a key, shown once. It may do no more than the member's role allows. */
async function createKey(deps: ShowDeps & { database: Database }, visit: Visit) {
  const name = (visit.form.get('name') ?? '').trim();
  if (!isStorableText(name) || !isLengthWithin(name, 1, longestName)) {
    return show(deps, visit, { why: fieldError('key-name', text.invalidName(longestName)) });
  }
  const { text: key, stored } = newKey(deps.keyring, visit.tenant.environment);
  const ticked = visit.form.getAll('scopes');
  const held = scopes.filter((scope) => ticked.includes(scope));
  const cap = (visit.form.get('refundCap') ?? '').trim();
  const refundCapCents = cap === '' ? null : centsOf(cap);
  if (cap !== '' && refundCapCents === null)
    return show(deps, visit, { why: fieldError('refund-cap', text.invalidRefundCap) });
  const grantable = grantableScopes(visit.session.member.role);
  // Without a ticked scope the key gets everything that the member may grant.
  const wanted = held.length > 0 ? held : grantable;
  if (exceeds(wanted, grantable)) return show(deps, visit, { why: formError(text.beyondRole, 403) });
  const addresses = (visit.form.get('allowFrom') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  if (addresses.length > maxAddresses || !addresses.every(isAddressOrNetwork))
    return show(deps, visit, { why: fieldError('allow-from', text.invalidAddresses(maxAddresses)) });
  const limits = {
    scopes: wanted && [...wanted],
    allowFrom: addresses.length === 0 ? null : addresses,
    refundCapCents,
  };
  const row = { ...stored, ...visit.tenant, ...limits, name, methods: null, embeddingOrigins: null };
  const made = await insertKey(deps.database, row, byOf(deps, visit));
  if (made !== 'created') return show(deps, visit, { why: formError(text.accountDisabled, 409) });
  return redirectToSecret(deps, visit, '/developers', { kind: 'key', text: key });
}

/**
 * POST /developers/keys/{id}/roll: creates a key with the same rights; the previous one works for another
 * day.
 */
async function roll(deps: ShowDeps & { database: Database }, visit: Visit) {
  const by = byOf(deps, visit);
  const { text: key, stored } = newKey(deps.keyring, visit.tenant.environment);
  const endsAt = new Date(by.at.getTime() + overlapMs);
  const previous = { ...visit.tenant, id: visit.params['id'] ?? '', endsAt };
  const known = await deps.lists.read(visit.tenant, (database) =>
    findTenantKey(database, visit.tenant, previous.id),
  );
  if (known && exceeds(known.scopes, grantableScopes(visit.session.member.role)))
    return show(deps, visit, { why: formError(text.beyondRole, 403) });
  const rolled = await rollKey(deps.database, previous, stored, by);
  if (!rolled) return show(deps, visit, { why: formError(text.keyEnded, 409) });
  return redirectToSecret(deps, visit, '/developers', { kind: 'key', text: key });
}

/** POST /developers/keys/{id}/revoke: immediate and irreversible. */
async function revoke(deps: Clock & { database: Database; keys: CachedKeys }, visit: Visit) {
  await revokeKey(deps.database, visit.params['id'] ?? '', byOf(deps, visit), visit.tenant);
  // Clears this process's cache; other processes clear theirs when they are notified.
  deps.keys.clear();
  return redirectTo(visit, '/developers', 'keyRevoked');
}

/** POST /developers/faults: injects a fault into the next calls, as the sandbox endpoint does. */
async function order(deps: ShowDeps & SandboxDeps, visit: Visit) {
  const injected = await catchRefusal(() => injectFaultFromForm(deps, visit));
  return injected.ok ? redirectTo(visit, '/developers', 'sandboxDone') : show(deps, visit, { why: injected });
}

/** GET /events/{id}: one event, as webhooks carry it. */
async function showEvent({ tenants }: { tenants: TenantReads }, visit: Visit) {
  const { tenant } = visit;
  const id = visit.params['id'] ?? '';
  const { event, deliveries, endpoints } = await tenants.read(tenant, async (database) => ({
    event: await findEvent(database, tenant, id),
    deliveries: await listEventDeliveries(database, tenant, id),
    endpoints: (await listEndpoints(database, tenant, { page: 1, perPage: 100 })).endpoints,
  }));
  const endpointUrls = Object.fromEntries(endpoints.map(({ id: endpoint, url }) => [endpoint, url]));
  if (!event) throw new Refusal('not_found');
  const json = JSON.stringify(eventEnvelope(event), null, 2);
  return sendPage(
    visit,
    {
      title: eventName(event.type),
      section: 'developers',
      back: { href: `${visit.frame.base}/developers`, label: text.title },
    },
    (frame) => EventPage({ frame, event: { ...event, json }, deliveries, endpointUrls }),
  );
}

/** POST /events/{id}/resend: sends the event to every enabled endpoint that subscribes to it. */
async function resend(deps: WebhookOperationDeps, visit: Visit) {
  const id = visit.params['id'] ?? '';
  await redeliver(deps, visit.tenant, id, null, visit.actor);
  return redirectTo(visit, `/events/${id}`, 'resent');
}

const ofKey = { method: 'POST', permission: 'keys', owns: 'key', fresh: true } as const;

export type DevelopersDeps = ShowDeps &
  SandboxDeps &
  WebhookOperationDeps & { tenants: TenantReads; keys: CachedKeys };

export const developerRoutes = (deps: DevelopersDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/developers', permission: 'read', handle: (visit) => show(deps, visit) },
  {
    method: 'POST',
    path: '/developers/keys',
    permission: 'keys',
    fresh: true,
    handle: (visit) => createKey(deps, visit),
  },
  { ...ofKey, path: '/developers/keys/:id/roll', handle: (visit) => roll(deps, visit) },
  { ...ofKey, path: '/developers/keys/:id/revoke', handle: (visit) => revoke(deps, visit) },
  {
    method: 'POST',
    path: '/developers/faults',
    permission: 'sandbox',
    sandboxOnly: true,
    handle: (visit) => order(deps, visit),
  },
  {
    method: 'GET',
    path: '/events/:id',
    permission: 'read',
    owns: 'event',
    handle: (visit) => showEvent(deps, visit),
  },
  {
    method: 'POST',
    path: '/events/:id/resend',
    permission: 'resend',
    owns: 'event',
    handle: (visit) => resend(deps, visit),
  },
];
