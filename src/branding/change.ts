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

/** A rejected change. `reason` completes "<field> …". */
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
 * Returns a requested change as it is to be stored: every field checked, the logo's file cleaned. Throws
 * `BrandingRefused` at the first invalid field, so that a change is stored completely or not at all.
 */
export async function checkBrandingChange(
  requested: BrandingChange & { logo?: Buffer | null },
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
  if (requested.logo !== undefined)
    change.logo = requested.logo === null ? null : await logoOf(requested.logo);
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
