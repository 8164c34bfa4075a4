import { EndpointPage, type ReplayPreview, type VerifiedBody } from './endpoint-page.tsx';
import { type NewSecret, type SampleAnswer, type TypedEndpoint, WebhooksPage } from './list-page.tsx';
import { resendChosen } from './resend-handlers.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../db/webhooks/deliveries.ts';
import { listDeliveries } from '../../db/webhooks/delivery-reads.ts';
import { readEndpointFailures, readEndpointHealth } from '../../db/webhooks/endpoint-health.ts';
import {
  findEndpoint,
  listEndpoints,
  maxEndpoints,
  removeEndpoint,
  updateEndpoint,
  type WebhookEndpoint,
} from '../../db/webhooks/endpoints.ts';
import { urlHoldsCardNumber } from '../../domain/card-number.ts';
import { isEventFilter } from '../../domain/event-types.ts';
import { Refusal } from '../../domain/refusals.ts';
import { rotateSecret, signingSecrets } from '../../webhooks/endpoint-secrets.ts';
import {
  type WebhookOperationDeps,
  createEndpoint,
  replay,
  replayEnd,
  sendTest,
} from '../../operations/webhooks/endpoints.ts';
import { sendSample } from '../../operations/webhooks/sample.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { type EgressRules, checkEndpointUrl } from '../../webhooks/endpoint-url.ts';
import { type Send, createSender } from '../../webhooks/sender.ts';
import { verifySignature } from '../../webhooks/signing.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { deliveriesTo } from '../../operations/list-cursor.ts';
import { zonedInstant } from '../parts/days.ts';
import { ignoredFilters, cursorPages, perPage, positionOf, choiceOf } from '../parts/paging.ts';
import { fieldError, formError, type FormError } from '../parts/form-error.ts';
import { texts } from '../texts/en.ts';
import type { DashboardRoute } from '../route.ts';
import { type OneTimeSecretDeps, redirectToSecret, takeSecret } from '../parts/one-time-secret.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';

interface ListDeps extends OneTimeSecretDeps {
  tenants: TenantReads;
}

const text = texts.webhooks;

/** `lists` reads the deliveries. */
interface ShowDeps extends ListDeps {
  lists: TenantReads;
}

interface ChangeDeps extends Clock {
  tenants: TenantReads;
  database: Database;
}

/** GET /webhooks: the endpoints, with a new secret or the rejected form. */
async function list(
  deps: ListDeps,
  visit: Visit,
  more: { form?: TypedEndpoint; why?: FormError; sample?: SampleAnswer } = {},
) {
  const { tenant } = visit;
  const since = new Date(deps.now() - dayMs);
  const read = await deps.tenants.read(tenant, async (database) => ({
    endpoints: (await listEndpoints(database, tenant, { page: 1, perPage: 100 })).endpoints,
    health: await readEndpointHealth(database, tenant, since),
    failures: await readEndpointFailures(database, tenant),
  }));
  const { form = null, why, sample = null } = more;
  const made = madeSecret(deps, visit);
  return sendPage(visit, { title: text.title, section: 'webhooks', ...why }, (frame) =>
    WebhooksPage({ frame, ...read, made, form, sample }),
  );
}

const dayMs = 24 * 3_600_000;

const maxFilters = 50;

/** Returns why a new endpoint is invalid, or null. docs/webhooks.md. */
function endpointProblem(url: string, filters: readonly string[], rules: EgressRules): FormError | null {
  const checked = checkEndpointUrl(url, rules);
  if (!checked.ok) return fieldError('endpoint-url', text.invalidUrl(checked.reason));
  if (urlHoldsCardNumber(url)) return fieldError('endpoint-url', text.urlHoldsCard);
  if (filters.length > maxFilters) return fieldError('endpoint-events', text.tooManyEvents(maxFilters));
  return filters.every(isEventFilter) ? null : fieldError('endpoint-events', text.invalidEvents);
}

/** The maximum number of tests at the same time, because each of them waits for an answer. */
const sampleLimit = createConcurrencyLimit({ all: 4, each: 1 });
/** How long a test waits for the answer, in ms. */
const sampleTimeoutMs = 10_000;

/** Sends a test event to the URL of the form, and shows the answer in the form. */
async function testForm(deps: CreateDeps, visit: Visit, form: TypedEndpoint) {
  const leave = sampleLimit.take(visit.tenant.merchantId);
  if (leave === null) return list(deps, visit, { form, why: formError(text.sampleRunning, 429) });
  try {
    const { environment } = visit.tenant;
    const asked = { url: form.url, environment, at: new Date(deps.now()) };
    const { statusCode, error, durationMs, excerpt } = await sendSample(deps.sendSample, asked);
    return await list(deps, visit, { form, sample: { statusCode, error, durationMs, excerpt } });
  } finally {
    leave();
  }
}

type CreateDeps = ListDeps & { database: Database; production: boolean; sendSample: Send };

/** POST /webhooks: adds an endpoint and shows its secret once, or only tests its URL. */
async function create(deps: CreateDeps, visit: Visit) {
  const form: TypedEndpoint = {
    url: (visit.form.get('url') ?? '').trim(),
    types: visit.form.getAll('types'),
    events: visit.form.get('events') ?? '',
  };
  const typed = form.events.split(/[\s,]+/).filter((part) => part !== '');
  const filters = [...new Set([...form.types, ...typed])];
  const problem = endpointProblem(form.url, filters, { allowLoopback: !deps.production });
  if (problem !== null) return list(deps, visit, { form, why: problem });
  if (visit.form.get('do') === 'test') return testForm(deps, visit, form);
  const events = filters.length === 0 ? null : filters;
  const created = await createEndpoint(
    deps,
    { ...visit.tenant, url: form.url, events, description: null },
    byOf(deps, visit),
  );
  if (created === 'unknown') throw new Refusal('not_found');
  if (created === 'full') {
    const why = formError(text.tooManyEndpoints(maxEndpoints));
    return list(deps, visit, { form, why });
  }
  const { endpoint, secret } = created;
  return redirectToEndpoint(deps, visit, '/webhooks', { secret, endpointId: endpoint.id });
}

const redirectToEndpoint = (deps: OneTimeSecretDeps, visit: Visit, path: string, made: NewSecret) =>
  redirectToSecret(deps, visit, path, { kind: 'endpoint', text: JSON.stringify(made) });

function madeSecret(deps: OneTimeSecretDeps, visit: Visit): NewSecret | null {
  const taken = takeSecret(deps, visit, 'endpoint');
  return taken === null ? null : (JSON.parse(taken) as NewSecret);
}

async function endpointOf({ tenants }: { tenants: TenantReads }, visit: Visit): Promise<WebhookEndpoint> {
  const { tenant } = visit;
  const id = (visit.params['id'] ?? '').toLowerCase();
  const endpoint = await tenants.read(tenant, (database) => findEndpoint(database, tenant, id));
  if (!endpoint) throw new Refusal('not_found');
  return endpoint;
}

const pathOf = (endpoint: WebhookEndpoint): string => `/webhooks/${endpoint.id}`;

interface Extras {
  preview?: ReplayPreview;
  check?: VerifiedBody;
  why?: FormError;
}

/** GET /webhooks/{id}: an endpoint and its deliveries. */
async function show(deps: ShowDeps, visit: Visit, extras: Extras = {}) {
  const endpoint = await endpointOf(deps, visit);
  const status: DeliveryStatus | '' = choiceOf(visit, 'status', deliveryStatuses);
  const filter = { status: status === '' ? null : status, from: null, until: null };
  const source = deliveriesTo(endpoint.id, filter);
  const { position, notice } = positionOf(deps.keyring, visit, source);
  const { rows: deliveries, next } = await deps.lists.read(visit.tenant, (database) =>
    listDeliveries(database, endpoint.id, filter, position, perPage),
  );
  const pages = cursorPages(deps.keyring, visit, pathOf(endpoint), source, next);
  const made = madeSecret(deps, visit);
  const { preview = null, check = null, why } = extras;
  return sendPage(
    visit,
    {
      title: endpoint.url,
      section: 'webhooks',
      back: { href: `${visit.frame.base}/webhooks`, label: text.title },
      notice: ignoredFilters(visit, { status: deliveryStatuses }) ?? notice,
      ...why,
    },
    (frame) => EndpointPage({ frame, endpoint, deliveries, status, pages, made, preview, check }),
  );
}

/** POST /webhooks/{id}/test: sends a test event. */
async function test(deps: ShowDeps & WebhookOperationDeps, visit: Visit) {
  const endpoint = await endpointOf(deps, visit);
  if (endpoint.status === 'disabled') {
    return show(deps, visit, { why: formError(text.isDisabled, 409) });
  }
  await sendTest(deps, endpoint, visit.actor);
  return redirectTo(visit, pathOf(endpoint), 'endpointTested');
}

/** POST /webhooks/{id}/rotate: creates a secret, shown once; the previous one signs for another day. */
async function rotate(deps: ListDeps & { database: Database }, visit: Visit) {
  const endpoint = await endpointOf(deps, visit);
  const rotated = await rotateSecret(deps, endpoint.id, byOf(deps, visit));
  if (!rotated) throw new Refusal('not_found');
  const made = { secret: rotated.secret, endpointId: endpoint.id };
  return redirectToEndpoint(deps, visit, pathOf(endpoint), made);
}

/** POST /webhooks/{id}/disable and /enable. */
async function setStatus(deps: ChangeDeps, visit: Visit, status: 'enabled' | 'disabled'): Promise<unknown> {
  const endpoint = await endpointOf(deps, visit);
  const change = { status, disabledBy: 'merchant' } as const;
  await updateEndpoint(deps.database, endpoint.id, change, byOf(deps, visit));
  return redirectTo(visit, pathOf(endpoint), 'endpointChanged');
}

/** POST /webhooks/{id}/delete: deletes the endpoint and drops its pending deliveries. */
async function remove(deps: ChangeDeps, visit: Visit) {
  const endpoint = await endpointOf(deps, visit);
  await removeEndpoint(deps.database, endpoint.id, byOf(deps, visit));
  return redirectTo(visit, '/webhooks', 'endpointDeleted');
}

/** POST /webhooks/{id}/replay: counts the events of a range, or resends them. */
async function replayRange(deps: ShowDeps & WebhookOperationDeps, visit: Visit) {
  const endpoint = await endpointOf(deps, visit);
  const field = (name: string): string => visit.form.get(name) ?? '';
  const typed = {
    since: field('since'),
    until: field('until'),
    status: field('status') === 'all' ? 'all' : 'failed',
  } as const;
  const reject = (why: FormError) => show(deps, visit, { preview: { ...typed, matched: null }, why });
  const since = zonedInstant(typed.since, visit.frame.timeZone);
  const until = typed.until === '' ? undefined : zonedInstant(typed.until, visit.frame.timeZone);
  if (since === null) return reject(fieldError('since', text.invalidRange));
  if (until === null) return reject(fieldError('until', text.invalidRange));
  const end = replayEnd({ since, until }, new Date(deps.now()));
  if (end === null) return reject(fieldError('since', text.emptyRange));
  const dryRun = field('do') !== 'send';
  if (endpoint.status === 'disabled' && !dryRun) return reject(formError(text.isDisabled, 409));
  const range = { since, until: end, types: null, status: typed.status };
  const { matched } = await replay(deps, endpoint, range, { dryRun, actor: visit.actor });
  if (dryRun) return show(deps, visit, { preview: { ...typed, matched } });
  return redirectTo(visit, pathOf(endpoint), 'replayed');
}

/** POST /webhooks/{id}/verify: shows whether this service signed a received delivery. */
async function verify(deps: ShowDeps & { database: Database }, visit: Visit) {
  const endpoint = await endpointOf(deps, visit);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const headers = Object.fromEntries(names.map((name) => [name, (visit.form.get(name) ?? '').trim()]));
  const body = visit.form.get('body') ?? '';
  const secrets = (await signingSecrets(deps, endpoint.id, new Date(deps.now()))) ?? [];
  // Browsers change line ends to CRLF, so the body is tried both ways.
  const good = [body, body.replaceAll('\r\n', '\n')].some((sent) =>
    verifySignature({ headers, body: sent }, secrets),
  );
  const result = good ? text.validSignature : text.invalidSignature;
  return show(deps, visit, { check: { good, text: result, headers, body } });
}

const own = { owns: 'endpoint' } as const;
const manages = { method: 'POST', permission: 'webhooks', ...own } as const;

export type WebhooksDeps = ShowDeps & WebhookOperationDeps & { production: boolean };

export function webhookRoutes(given: WebhooksDeps): readonly DashboardRoute[] {
  const rules = { allowLoopback: !given.production };
  const deps = { ...given, sendSample: createSender({ rules, timeoutMs: sampleTimeoutMs }) };
  return [
    { method: 'GET', path: '/webhooks', permission: 'read', handle: (visit) => list(deps, visit) },
    {
      method: 'POST',
      path: '/webhooks',
      permission: 'webhooks',
      fresh: true,
      handle: (visit) => create(deps, visit),
    },
    {
      method: 'GET',
      path: '/webhooks/:id',
      permission: 'read',
      ...own,
      handle: (visit) => show(deps, visit),
    },
    { ...manages, path: '/webhooks/:id/test', handle: (visit) => test(deps, visit) },
    { ...manages, path: '/webhooks/:id/rotate', fresh: true, handle: (visit) => rotate(deps, visit) },
    { ...manages, path: '/webhooks/:id/disable', handle: (visit) => setStatus(deps, visit, 'disabled') },
    { ...manages, path: '/webhooks/:id/enable', handle: (visit) => setStatus(deps, visit, 'enabled') },
    { ...manages, path: '/webhooks/:id/delete', fresh: true, handle: (visit) => remove(deps, visit) },
    { ...manages, path: '/webhooks/:id/replay', handle: (visit) => replayRange(deps, visit) },
    { ...manages, path: '/webhooks/:id/verify', handle: (visit) => verify(deps, visit) },
    {
      method: 'POST',
      path: '/webhooks/resend',
      permission: 'resend',
      handle: (visit) => resendChosen(deps, visit),
    },
  ];
}
