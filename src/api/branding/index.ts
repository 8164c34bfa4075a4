import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkBrandingChange } from '../../branding/change.ts';
import { logoPath } from '../../checkout-page/shop.ts';
import { clearBranding, loadBranding, updateBranding } from '../../db/merchants/branding.ts';
import { type Branding, BrandingRefused, type Logo } from '../../domain/branding.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { orRefuse, parseBody, jsonBody } from '../http/input.ts';
import { actorOf, principalOf } from '../http/admission.ts';
import { bodyLimits } from '../../http/body-limits.ts';
import { changeBrandingBody } from './bodies.ts';

interface ChangeDeps {
  database: Database;
  /** Epoch ms. */
  now: () => number;
}

export type BrandingRouteDeps = Parameters<typeof retrieve>[0] & Parameters<typeof change>[0];

/**
 * Registers the endpoints for a shop's branding on its customers' pages, in the environment of the key.
 * docs/checkout.md.
 */
export function registerBranding(app: FastifyInstance, deps: BrandingRouteDeps): void {
  app.get('/v1/branding', retrieve(deps));
  app.patch('/v1/branding', { bodyLimit: bodyLimits.branding }, change(deps));
  app.delete('/v1/branding', clear(deps));
}

/** GET /v1/branding: 200 `{data: Branding}`. */
const retrieve = (deps: { tenants: TenantReads; publicUrl: string }) => async (request: FastifyRequest) => {
  const principal = principalOf(request);
  const found = await deps.tenants.read(principal, (database) => loadBranding(database, principal));
  return { data: view(deps, found) };
};

/**
 * PATCH /v1/branding: 200 `{data: Branding}`, the complete branding after the change. Refuses:
 * invalid_request (400), validation_failed (422) with the field and the reason. A refused change changes
 * nothing.
 */
const change =
  (deps: ChangeDeps & { publicUrl: string; production: boolean }) => async (request: FastifyRequest) => {
    const { body } = orRefuse(parseBody(changeBrandingBody, jsonBody(request)), 'validation_failed');
    const asked = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const by = { actor: actorOf(request), at: new Date(deps.now()) };
    const updated = await checkBrandingChange(asked, { allowHttpLoopback: !deps.production })
      .then((checked) => updateBranding(deps.database, principalOf(request), checked, by))
      .catch(refuse);
    if (!updated) throw new Refusal('not_found');
    return { data: view(deps, updated) };
  };

/** DELETE /v1/branding: 200 `{data: {cleared}}`. */
const clear = (deps: ChangeDeps) => async (request: FastifyRequest) => ({
  data: {
    cleared: await clearBranding(deps.database, principalOf(request), {
      actor: actorOf(request),
      at: new Date(deps.now()),
    }),
  },
});

function refuse(error: unknown): never {
  if (!(error instanceof BrandingRefused)) throw error;
  throw new Refusal('validation_failed', { field: error.field, message: error.message, cause: error });
}

/** Returns the branding with the addresses of its logos. */
function view({ publicUrl }: { publicUrl: string }, { logo, darkLogo, ...fields }: Branding) {
  const served = (each: Logo | null) => {
    if (each === null) return null;
    const { contentType, width, height } = each;
    return { url: publicUrl + logoPath(each), contentType, width, height };
  };
  return { ...fields, logo: served(logo), darkLogo: served(darkLogo) };
}
