import type { SettingsChange } from '../../../src/db/merchants/merchants.ts';
import { Random } from '../../support/harness/random.ts';

/** The settings that a seed draws for the API and for the shop whose settings differ. */
export interface ApiSettings {
  rateLimits: string;
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
const limitedShare = 0.3;

export function drawApiSettings(seed: number): ApiSettings {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x51ed270b);
  return {
    rateLimits: random.chance(limitedShare) ? limitsOfReads : 'off',
    shop: {
      customMode: true,
      customActions: random.chance(0.5),
      refundLate: random.chance(0.8),
      refundApprovalCents: random.pick([1, 2_000, 20_000]),
      ...(random.chance(0.4) ? { declinesPerMerchant: 3 } : {}),
    },
  };
}
