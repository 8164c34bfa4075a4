import { DevelopersPage, EventPage, paymentOf, requestLogLink } from './page.tsx';
import { newKey } from '../../crypto/api-key.ts';
import { listEvents } from '../../db/webhooks/event-lists.ts';
import { findEvent } from '../../db/webhooks/events.ts';
import { insertKey, listKeys, revokeKey, rollKey } from '../../db/merchants/merchant-keys.ts';
import { paymentReferences } from '../../db/payments/payments.ts';
import { Refusal } from '../../domain/refusals.ts';
import { isLengthWithin, isStorableText } from '../../domain/text.ts';
import { eventEnvelope } from '../../webhooks/envelope.ts';
import { type WebhookOperationDeps, redeliver } from '../../operations/webhooks/endpoints.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import type { SandboxDeps } from '../../operations/sandbox/operation.ts';
import { pageOf, pagesOf, perPage } from '../parts/paging.ts';
import { catchRefusal, formError, type FormError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { orderFaultOf } from './sandbox-handlers.ts';
import { type OneTimeSecretDeps, redirectToSecret, takeSecret } from '../parts/one-time-secret.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

/** How long a key that was rolled works beside the new one, in ms. */
const overlapMs = 24 * 3_600_000;
const longestName = 80;

interface ShowDeps extends OneTimeSecretDeps {
  lists: TenantReads;
}

/** Keys that were read a moment ago. */
export interface CachedKeys {
  clear: () => void;
}

async function show(deps: ShowDeps, visit: Visit, more: { why?: FormError } = {}) {
  const { tenant } = visit;
  const page = pageOf(visit);
  const filter = { type: null, from: null, until: null, page, perPage };
  const { keys, events, references, total } = await deps.lists.read(tenant, async (database) => {
    const found = await listEvents(database, tenant, filter);
    return {
      keys: await listKeys(database, tenant, 100),
      ...found,
      references: await paymentReferences(
        database,
        tenant,
        found.events.flatMap((one) => paymentOf(one) ?? []),
      ),
    };
  });
  const pages = pagesOf(visit, '/developers', page, total);
  const { why } = more;
  const made = takeSecret(deps, visit, 'key');
  const aside = requestLogLink(visit.frame);
  return sendPage(visit, { title: 'Developers', section: 'developers', aside, ...why }, (frame) =>
    DevelopersPage({ frame, keys, made, events, references, pages }),
  );
}

/** POST /developers/keys: a new key, shown this once. */
async function createKey(deps: ShowDeps & { database: Database }, visit: Visit) {
  const name = (visit.form.get('name') ?? '').trim();
  if (!isStorableText(name) || !isLengthWithin(name, 1, longestName)) {
    return show(deps, visit, { why: formError(`the name must be 1 to ${longestName} characters`) });
  }
  const { text, stored } = newKey(deps.keyring, visit.tenant.environment);
  const key = { ...stored, ...visit.tenant, name, methods: null, embeddingOrigins: null };
  const made = await insertKey(deps.database, key, byOf(deps, visit));
  if (made !== 'created') return show(deps, visit, { why: formError('the account is not active', 409) });
  return redirectToSecret(deps, visit, '/developers', { kind: 'key', text });
}

/** POST /developers/keys/{id}/roll: a new key like it; the former works for a day more. */
async function roll(deps: ShowDeps & { database: Database }, visit: Visit) {
  const by = byOf(deps, visit);
  const { text, stored } = newKey(deps.keyring, visit.tenant.environment);
  const endsAt = new Date(by.at.getTime() + overlapMs);
  const previous = { ...visit.tenant, id: visit.params['id'] ?? '', endsAt };
  const rolled = await rollKey(deps.database, previous, stored, by);
  if (!rolled) return show(deps, visit, { why: formError('the key has ended already', 409) });
  return redirectToSecret(deps, visit, '/developers', { kind: 'key', text });
}

/** POST /developers/keys/{id}/revoke: at once and for ever. */
async function revoke(deps: Clock & { database: Database; keys: CachedKeys }, visit: Visit) {
  await revokeKey(deps.database, visit.params['id'] ?? '', byOf(deps, visit), visit.tenant);
  // Kept for a moment where no notice of the change arrives; here at once.
  deps.keys.clear();
  return redirectTo(visit, '/developers', 'keyRevoked');
}

/** POST /developers/faults: trouble for the next calls, as the sandbox endpoint orders it. */
async function order(deps: ShowDeps & SandboxDeps, visit: Visit) {
  const ordered = await catchRefusal(() => orderFaultOf(deps, visit));
  return ordered.ok ? redirectTo(visit, '/developers', 'sandboxDone') : show(deps, visit, { why: ordered });
}

/** GET /events/{id}: one event, as its webhook carried it. */
async function showEvent({ tenants }: { tenants: TenantReads }, visit: Visit) {
  const { tenant } = visit;
  const id = visit.params['id'] ?? '';
  const event = await tenants.read(tenant, (database) => findEvent(database, tenant, id));
  if (!event) throw new Refusal('not_found');
  const json = JSON.stringify(eventEnvelope(event), null, 2);
  return sendPage(
    visit,
    {
      title: 'Event',
      section: 'developers',
      back: { href: `${visit.frame.base}/developers`, label: 'Developers' },
    },
    (frame) => EventPage({ frame, event: { ...event, json } }),
  );
}

/** POST /events/{id}/resend: to every enabled endpoint that asks for it. */
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
