import {
  type BrandingChange,
  type Logo,
  type LogoSlot,
  BrandingRefused,
  brandingFields,
  checkBrandingField,
  logoSlots,
} from '../domain/branding.ts';
import type { UrlOptions } from '../domain/urls.ts';
import { cleanLogo } from './logo.ts';
import { LogoRefused } from './logo-refused.ts';
import { isVisible } from './visible.ts';

export type CheckedChange = BrandingChange & Partial<Record<LogoSlot, (Logo & { bytes: Buffer }) | null>>;

/**
 * Returns a requested change as it is to be stored, with every field checked and the logo files cleaned.
 * Throws `BrandingRefused` at the first invalid field, so that a change is stored completely or not at all.
 */
export async function checkBrandingChange(
  requested: BrandingChange & Partial<Record<LogoSlot, Buffer | null>>,
  options: UrlOptions,
): Promise<CheckedChange> {
  const change: CheckedChange = {};
  for (const field of brandingFields) {
    const raw = requested[field];
    if (raw === undefined) continue;
    if (raw === null) {
      change[field] = null;
      continue;
    }
    const checked = checkBrandingField(field, raw, options);
    if (!checked.ok) throw new BrandingRefused(field, checked.reason);
    change[field] = checked.value;
  }
  for (const slot of logoSlots) {
    const file = requested[slot];
    if (file !== undefined) change[slot] = file === null ? null : await logoOf(file, slot);
  }
  return change;
}

const pages = { logo: 'light', darkLogo: 'dark' } as const satisfies Record<LogoSlot, string>;

async function logoOf(file: Buffer, slot: LogoSlot): Promise<Logo & { bytes: Buffer }> {
  try {
    const logo = await cleanLogo(file);
    if (isVisible(logo, slot)) return logo;
  } catch (error) {
    if (error instanceof LogoRefused) throw new BrandingRefused(slot, error.message, { cause: error });
    throw error;
  }
  const reason = `cannot be seen on ${pages[slot]} pages: its colors are too close to the background`;
  throw new BrandingRefused(slot, reason);
}
