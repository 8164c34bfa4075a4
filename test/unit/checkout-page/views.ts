import {
  type CheckoutView,
  type FailureText,
  type PageState,
  notices,
} from '../../../src/checkout-page/view.ts';
import { messages } from '../../../src/checkout-page/messages.ts';

export const unbranded: CheckoutView['branding'] = {
  displayName: null,
  accent: null,
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  statementDescriptor: null,
  logo: null,
  darkLogo: null,
};

export const openState: Extract<PageState, { kind: 'open' }> = {
  kind: 'open',
  methods: ['card', 'wallet', 'pix'],
  chosen: 'card',
  failure: null,
};

/** An open payment of 25 dollars. */
export const openView: CheckoutView = {
  locale: 'en',
  offered: null,
  theme: null,
  appearance: { accent: null, radius: null, font: null },
  embedded: false,
  merchantName: 'Shop',
  branding: unbranded,
  host: 'pay.example',
  paymentId: '01900000-0000-7000-8000-000000000000',
  reference: 'order-1',
  amountCents: 2500,
  description: null,
  items: [],
  walletName: null,
  walletFrameUrl: null,
  environment: 'sandbox',
  attemptsLeft: 5,
  expiresAtMs: Date.UTC(2030, 0, 1, 12, 30),
  nowMs: Date.UTC(2030, 0, 1, 12),
  successUrl: 'https://shop.example/ok',
  cancelUrl: 'https://shop.example/no',
  frameOrigins: [],
  path: '/c/token',
  formToken: 'token',
  notice: null,
  fingerprint: 'open.0.5',
  state: openState,
};

/** A purchase of several lines. */
export const bought = {
  description: 'Spring delivery',
  items: [
    { name: 'Coffee beans, 250 g', quantity: 2, amountCents: 2000 },
    { name: 'Shipping', quantity: 1, amountCents: 500 },
  ],
};

const card = { brand: 'visa', last4: '4242' };
const atMs = Date.UTC(2030, 0, 1, 13, 5);
const pix = {
  kind: 'pix',
  code: '00020126580014br.gov.bcb.pix',
  settleUrl: 'https://network.example/pix',
  expiresAtMs: atMs,
  reais: { amountCents: 13_580, rate: '5.4321', rateAtMs: atMs },
} as const;

const failures = Object.keys(messages.en).filter((name) => name.startsWith('failure_')) as FailureText[];

const steps: PageState[] = [
  { kind: 'elsewhere' },
  { kind: 'processing', card: null },
  { kind: 'processing', card },
  { kind: 'challenge', url: 'https://bank.example/', windowUrl: '/a/token', mayLeave: true },
  { kind: 'wallet', url: 'https://wallet.example/' },
  pix,
  { ...pix, settleUrl: null, reais: null },
];

const ends: PageState[] = [
  { kind: 'paid', method: 'card', card, atMs },
  { kind: 'paid', method: 'pix', card: null, atMs: null },
  ...(['checkout_expired', 'attempts_exhausted', 'provider_failed'] as const).flatMap((reason) =>
    [true, false].map((unsettled) => ({
      kind: 'closed' as const,
      reason,
      unsettled,
      method: null,
      card,
      atMs,
    })),
  ),
];

/**
 * Views of every state that the page can show, in English, with every notice and failure and number of
 * attempts.
 */
export const allViews: readonly CheckoutView[] = [
  openView,
  { ...openView, state: { ...openState, methods: ['card'] } },
  { ...openView, ...bought, offered: 'pt' },
  { ...openView, ...bought, items: [], walletName: 'Example Wallet' },
  { ...openView, ...bought, state: { kind: 'paid', method: 'card', card, atMs } },
  ...notices.map((notice) => ({ ...openView, notice })),
  ...failures.map((failure) => ({
    ...openView,
    attemptsLeft: 1,
    state: { ...openState, chosen: null, failure },
  })),
  ...steps.flatMap((state) => [1, 2, 5].map((attemptsLeft) => ({ ...openView, attemptsLeft, state }))),
  ...ends.map((state) => ({
    ...openView,
    environment: 'live' as const,
    branding: {
      ...unbranded,
      statementDescriptor: 'BLUE BOTTLE',
      supportEmail: 'help@shop.example',
      termsUrl: 'https://shop.example/terms',
      privacyUrl: 'https://shop.example/privacy',
    },
    state,
  })),
];
