import type { SettingsChange } from '../../../src/db/merchants/merchants.ts';
import { Random } from '../../support/harness/random.ts';

/** The settings that a seed draws for the API and for the shop whose settings differ. */
export interface ApiSettings {
  rateLimits: string;
  /** Where the status of an open checkout is read. */
  statusSource: 'projection' | 'workflow';
  /** How often the payment page is watched, in s; 0: never. */
  pageWatchSeconds: number;
  shop: SettingsChange;
}

/** Limits that only a flood of reads of one payment exceeds. */
const limitsOfReads = [
  'sandbox.all=1000/5000',
  'sandbox.create=1000/5000',
  'payment.read=20/40',
  'payment.act=1000/5000',
  'failures=1000/5000',
].join(',');

/** The share of the seeds with rate limits. */
const limitedShare = 0.5;
/** The share of the seeds that read from workflows, and of those that watch the payment page. */
const workflowShare = 0.3;
const watchedShare = 0.3;

/** Limits of declines that a few tries of one card exceed. */
const declineLimits: readonly SettingsChange[] = [
  { declinesPerMerchant: 2 },
  { declinesPerKey: 2 },
  { declinesPerCard: 2 },
  { declinesPerBin: 2 },
];

export function drawApiSettings(seed: number): ApiSettings {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x51ed270b);
  const drawn = {
    rateLimits: random.chance(limitedShare) ? limitsOfReads : 'off',
    shop: {
      customMode: true,
      customActions: random.chance(0.85),
      refundLate: random.chance(0.8),
      refundApprovalCents: random.pick([1, 2_000, 20_000]),
      ...(random.chance(0.4) ? { declinesPerMerchant: 3 } : {}),
    },
  };
  // Fewer declines than usual are a test of stolen cards.
  if (random.chance(0.6)) Object.assign(drawn.shop, random.pick(declineLimits));
  return {
    ...drawn,
    statusSource: random.chance(workflowShare) ? 'workflow' : 'projection',
    pageWatchSeconds: random.chance(watchedShare) ? 7 : 0,
  };
}
