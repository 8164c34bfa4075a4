import { accentSchemes, checkAccent } from '../../domain/accent.ts';
import type { Branding } from '../../domain/branding.ts';
import type { Environment, PaymentMethod } from '../../domain/statuses.ts';
import { renderCheckoutPage } from '../../checkout-page/checkout-page.tsx';
import { themes } from '../../checkout-page/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.branding;

/** The typed values that a preview shows in place of the saved branding. */
export interface TypedAppearance {
  displayName: string | null;
  accent: string | null;
  statementDescriptor: string | null;
  theme: string | null;
}

export interface SampleShop {
  name: string;
  environment: Environment;
  methods: readonly PaymentMethod[];
  branding: Branding;
  /** Host name of this service. */
  host: string;
  nowMs: number;
}

const halfAnHourMs = 30 * 60_000;
const beans = { name: 'Coffee beans, 250 g', quantity: 2, amountCents: 3_200 };
const filters = { name: 'Paper filters', quantity: 1, amountCents: 1_050 };

/**
 * Returns the checkout page of a sample order as customers see it with this branding. No control on it works.
 * The page carries a sentence about the color in its `data-note`.
 */
export function renderSampleCheckout(shop: SampleShop, typed: TypedAppearance): string {
  const color = typed.accent === null || typed.accent === '' ? null : checkAccent(typed.accent);
  const saved = shop.branding;
  const branding: Branding = {
    ...saved,
    accent: typed.accent === '' ? null : color?.ok ? color.accent : saved.accent,
    statementDescriptor:
      typed.statementDescriptor === null ? saved.statementDescriptor : typed.statementDescriptor || null,
  };
  const note = color !== null && !color.ok ? text.noColor : colorNote(branding.accent);
  const view = {
    locale: 'en' as const,
    offered: null,
    theme: themes.find((theme) => theme === typed.theme) ?? 'light',
    appearance: { accent: null, radius: null, font: null },
    embedded: false,
    merchantName: (typed.displayName ?? saved.displayName ?? '').trim() || shop.name,
    branding,
    host: shop.host,
    paymentId: '00000000-0000-7000-8000-000000000000',
    reference: 'order-1042',
    amountCents: beans.amountCents + filters.amountCents,
    description: null,
    items: [beans, filters],
    walletName: null,
    walletFrameUrl: null,
    environment: shop.environment,
    attemptsLeft: 5,
    expiresAtMs: shop.nowMs + halfAnHourMs,
    nowMs: shop.nowMs,
    successUrl: '#',
    cancelUrl: '#',
    frameOrigins: [],
    path: '',
    formToken: '',
    notice: null,
    fingerprint: '',
    state: {
      kind: 'open' as const,
      methods: [...shop.methods],
      chosen: shop.methods[0] ?? null,
      failure: null,
    },
  };
  return renderCheckoutPage(view, note);
}

/** Returns a sentence on how a color is used. `accent`: `#rrggbb`; null for the page's own color. */
function colorNote(accent: string | null): string {
  if (accent === null) return text.ownColor;
  const { light, dark } = accentSchemes(accent);
  const nameOf = (color: string): string => (color === '#ffffff' ? text.white : text.black);
  const tone = light.tone === accent ? text.sameTone : text.otherTone(light.tone);
  return [text.onButtons(nameOf(light.onBrand)), tone, text.inDark(dark.brand, nameOf(dark.onBrand))].join(
    ' ',
  );
}
