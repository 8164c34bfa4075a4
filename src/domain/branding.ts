import { accentPattern, checkAccent } from './accent.ts';
import { isEmail, isLengthWithin, isStorableText, maxEmailLength } from './text.ts';
import { checkUri, type UrlOptions } from './urls.ts';

/** A shop's appearance on its customers' pages, in one environment. Null: not set. */
export interface Branding {
  displayName: string | null;
  /** `#rrggbb`, any color. */
  accent: string | null;
  supportEmail: string | null;
  supportUrl: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
  /** How the payment appears on the customer's statement, as the merchant's acquirer prints it. */
  statementDescriptor: string | null;
  logo: Logo | null;
  /** The logo of dark pages. Without one, `logo` is shown there on a light plate. */
  darkLogo: Logo | null;
}

/** A logo as it is served. This service has cleaned and rewritten it. Sides in CSS pixels. */
export interface Logo {
  /** SHA-256 of the bytes in hex. It is the logo's address, which therefore may be cached for ever. */
  sha256: string;
  contentType: 'image/png' | 'image/svg+xml';
  width: number;
  height: number;
}

export const logoSlots = ['logo', 'darkLogo'] as const;
export type LogoSlot = (typeof logoSlots)[number];

export const brandingFields = [
  'displayName',
  'accent',
  'supportEmail',
  'supportUrl',
  'termsUrl',
  'privacyUrl',
  'statementDescriptor',
] as const;
export type BrandingField = (typeof brandingFields)[number];
/** A change: a text sets a field, null clears it, an absent field stays. */
export type BrandingChange = Partial<Record<BrandingField, string | null>>;

/** A rejected change. `reason` completes "<field> …". */
export class BrandingRefused extends Error {
  readonly field: BrandingField | LogoSlot;
  readonly reason: string;

  constructor(field: BrandingField | LogoSlot, reason: string, options?: ErrorOptions) {
    super(`${field} ${reason}`, options);
    this.name = 'BrandingRefused';
    this.field = field;
    this.reason = reason;
  }
}

type Checked = { ok: true; value: string } | { ok: false; reason: string };

const maxNameLength = 60;
// Line breaks, tabs and marks that change the direction of the surrounding text.
const unprintableClass = '\\u0000-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const unprintable = new RegExp(`[${unprintableClass}]`);
const descriptorClass = 'A-Za-z0-9.,&/#+-';
// The characters that are trimmed. The \s of other languages lacks the byte order mark.
const spaceClass = '\\s\\ufeff';

/** The parts of the checks below that patterns can express. White space around a text is dropped. */
export const brandingPatterns = {
  displayName: trimmable(`[^${unprintableClass}${spaceClass}]`, `[^${unprintableClass}]`, 1, maxNameLength),
  accent: accentPattern.source,
  statementDescriptor: trimmable(`[${descriptorClass}]`, `[ ${descriptorClass}]`, 5, 22),
  /** The descriptor has a letter too. */
  letter: '[A-Za-z]',
};

/** Returns the pattern of a text of `min` to `max` characters. `edge`: its first and last character. */
function trimmable(edge: string, inner: string, min: number, max: number): string {
  const from = Math.max(0, min - 2);
  const text =
    min === 1
      ? `${edge}(?:${inner}{${from},${max - 2}}${edge})?`
      : `${edge}${inner}{${from},${max - 2}}${edge}`;
  return `^[${spaceClass}]*${text}[${spaceClass}]*$`;
}

const displayName = (raw: string): Checked => {
  const value = raw.trim();
  if (!isLengthWithin(value, 1, maxNameLength)) {
    return { ok: false, reason: `must be 1 to ${maxNameLength} characters long` };
  }
  if (!isStorableText(value) || unprintable.test(value)) {
    return { ok: false, reason: 'must not contain control characters' };
  }
  return { ok: true, value };
};

const email = (raw: string): Checked =>
  isEmail(raw) && raw.length <= maxEmailLength
    ? { ok: true, value: raw }
    : { ok: false, reason: 'must be an e-mail address' };

const url =
  (options: UrlOptions) =>
  (raw: string): Checked => {
    const checked = checkUri(raw, options);
    return checked.ok ? { ok: true, value: raw } : checked;
  };

/** Checks for what card networks print: 5 to 22 characters of basic Latin with at least one letter. */
const descriptor = (raw: string): Checked => {
  const value = raw.trim();
  return new RegExp(brandingPatterns.statementDescriptor).test(value) && /[A-Za-z]/.test(value)
    ? { ok: true, value }
    : {
        ok: false,
        reason: 'must be 5 to 22 characters: letters A to Z, digits, spaces and . , & / # + -',
      };
};

const accent = (raw: string): Checked => {
  const checked = checkAccent(raw);
  return checked.ok ? { ok: true, value: checked.accent } : checked;
};

/**
 * Checks one field of a change. Returns the value to store, or the reason of its rejection, which completes
 * "<field> …".
 */
export function checkBrandingField(field: BrandingField, raw: string, options: UrlOptions): Checked {
  const checks: Record<BrandingField, (raw: string) => Checked> = {
    displayName,
    accent,
    supportEmail: email,
    supportUrl: url(options),
    termsUrl: url(options),
    privacyUrl: url(options),
    statementDescriptor: descriptor,
  };
  return checks[field](raw);
}
