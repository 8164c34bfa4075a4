import {
  type BrandingChange,
  type BrandingField,
  type Logo,
  brandingFields,
  checkBrandingField,
} from '../domain/branding.ts';
import type { UrlOptions } from '../domain/urls.ts';
import { cleanLogo } from './logo.ts';
import { LogoRefused } from './logo-refused.ts';

/** Why a change is not made. `reason` completes "<field> …". */
export class BrandingRefused extends Error {
  readonly field: BrandingField | 'logo';
  readonly reason: string;

  constructor(field: BrandingField | 'logo', reason: string, options?: ErrorOptions) {
    super(`${field} ${reason}`, options);
    this.name = 'BrandingRefused';
    this.field = field;
    this.reason = reason;
  }
}

export type CheckedChange = BrandingChange & { logo?: (Logo & { bytes: Buffer }) | null };

/**
 * What to store of a change as somebody asked for it: every field checked, the logo's file cleaned. Throws
 * `BrandingRefused` at the first that is wrong, so that a change is made as a whole or not at all.
 */
export async function checkBrandingChange(
  asked: BrandingChange & { logo?: Buffer | null },
  options: UrlOptions,
): Promise<CheckedChange> {
  const change: CheckedChange = {};
  for (const field of brandingFields) {
    const raw = asked[field];
    if (raw === undefined) continue;
    if (raw === null) {
      change[field] = null;
      continue;
    }
    const checked = checkBrandingField(field, raw, options);
    if (!checked.ok) throw new BrandingRefused(field, checked.reason);
    change[field] = checked.value;
  }
  if (asked.logo !== undefined) change.logo = asked.logo === null ? null : await logoOf(asked.logo);
  return change;
}

async function logoOf(file: Buffer): Promise<Logo & { bytes: Buffer }> {
  try {
    return await cleanLogo(file);
  } catch (error) {
    if (error instanceof LogoRefused) throw new BrandingRefused('logo', error.message, { cause: error });
    throw error;
  }
}
