import { checkBrandingChange } from '../../branding/change.ts';
import { maxLogoBytes } from '../../branding/logo.ts';
import { loadBranding, updateBranding } from '../../db/merchants/branding.ts';
import { loadSettings } from '../../db/merchants/merchants.ts';
import type { Database } from '../../db/server/database.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import {
  type BrandingField,
  BrandingRefused,
  brandingFields,
  type LogoSlot,
  logoSlots,
} from '../../domain/branding.ts';
import { Refusal } from '../../domain/refusals.ts';
import { sendHtml } from '../../http/html-reply.ts';
import { fieldError, type FormError } from '../parts/form-error.ts';
import type { DashboardRoute } from '../route.ts';
import { texts } from '../texts/en.ts';
import { byOf, type Clock, redirectTo, sendPage, type Visit } from '../visit.ts';
import { BrandingPage, type RefusedLogos } from './page.tsx';
import { renderSampleCheckout } from './sample-checkout.ts';

const text = texts.branding;

export interface BrandingDeps extends Clock {
  tenants: TenantReads;
  database: Database;
  production: boolean;
  publicUrl: string;
}

async function show(
  { tenants }: BrandingDeps,
  visit: Visit,
  refused: {
    why?: FormError;
    typed?: Readonly<Record<string, string>>;
    logos?: RefusedLogos;
  } = {},
) {
  const { why, typed = {}, logos = {} } = refused;
  const branding = await tenants.read(visit.tenant, (database) => loadBranding(database, visit.tenant));
  const back = { href: `${visit.frame.base}/settings`, label: texts.settings.title };
  return sendPage(
    visit,
    { title: text.title, section: 'settings', back, framesItself: true, ...why },
    (frame) => BrandingPage({ frame, branding, typed, logos }),
  );
}

/** GET /branding/preview: the checkout of a sample order, with the values typed in the form. */
async function preview(
  { tenants, publicUrl }: BrandingDeps,
  { request, reply, tenant, frame, query }: Visit,
) {
  const { settings, branding } = await tenants.read(tenant, async (database) => ({
    settings: await loadSettings(database, tenant),
    branding: await loadBranding(database, tenant),
  }));
  if (!settings) throw new Refusal('not_found');
  const html = renderSampleCheckout(
    {
      name: frame.merchantName,
      environment: tenant.environment,
      methods: settings.methods,
      branding,
      host: new URL(publicUrl).host,
      nowMs: frame.nowMs,
    },
    {
      displayName: query.get('displayName'),
      accent: query.get('accent')?.trim() ?? null,
      statementDescriptor: query.get('statementDescriptor'),
      theme: query.get('theme'),
    },
  );
  return sendHtml(request, reply, 200, html, { images: true, plain: true, ancestors: ["'self'"] });
}

async function save(deps: BrandingDeps, visit: Visit) {
  const { form, tenant } = visit;
  const typed = Object.fromEntries(
    brandingFields.filter((name) => form.has(name)).map((name) => [name, (form.get(name) ?? '').trim()]),
  );
  const files = new Map<LogoSlot, Buffer | null>();
  const reject = (field: BrandingField | LogoSlot, why: string) => {
    const address = imageAddress(files.get(field as LogoSlot) ?? null);
    const logos = address === null ? {} : { [field]: address };
    return show(deps, visit, { why: fieldError(`branding-${field}`, why), typed, logos });
  };
  for (const slot of logoSlots) {
    const file = Buffer.from(form.get(slot) ?? '', 'base64');
    if (file.length > maxLogoBytes) {
      return reject(slot, text.logoTooLarge(text.subjects[slot], maxLogoBytes / 1_024));
    }
    if (form.get(`remove-${slot}`) === 'on') files.set(slot, null);
    else if (file.length > 0) files.set(slot, file);
  }
  const fields = Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, value || null]));
  try {
    const asked = { ...fields, ...Object.fromEntries(files) };
    const change = await checkBrandingChange(asked, { allowHttpLoopback: !deps.production });
    await updateBranding(deps.database, tenant, change, byOf(deps, visit));
  } catch (error) {
    if (!(error instanceof BrandingRefused)) throw error;
    return await reject(error.field, text.invalid(text.subjects[error.field], error.reason));
  }
  return redirectTo(visit, '/branding', 'brandingSaved');
}

/** The largest refused logo that the page shows, in bytes: the page is stored for an hour. */
const maxShownBytes = 64 * 1_024;

/** Returns a refused logo as an address, so that the page can show it; null if the file is too large. */
function imageAddress(file: Buffer | null): string | null {
  if (file === null || file.length > maxShownBytes) return null;
  const isPng = file.subarray(1, 4).toString('latin1') === 'PNG';
  return `data:image/${isPng ? 'png' : 'svg+xml'};base64,${file.toString('base64')}`;
}

export const brandingRoutes = (deps: BrandingDeps): readonly DashboardRoute[] => [
  { method: 'GET', path: '/branding', permission: 'read', handle: (visit) => show(deps, visit) },
  { method: 'GET', path: '/branding/preview', permission: 'read', handle: (visit) => preview(deps, visit) },
  {
    method: 'POST',
    path: '/branding',
    permission: 'settings',
    fresh: true,
    takesLong: true,
    handle: (visit) => save(deps, visit),
  },
];
