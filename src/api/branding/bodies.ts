import * as z from 'zod';
import { expected, object } from '../http/fields.ts';
import { maxLogoBytes } from '../../branding/logo.ts';
import { brandingPatterns } from '../../domain/branding.ts';
import { maxEmailLength } from '../../domain/text.ts';
import { httpsUriPattern, maxUriLength } from '../../domain/urls.ts';

/** A text or null. Its rules are checked together with the whole change; `facets` documents them. */
const text = (facets: z.core.GlobalMeta) =>
  z
    .string({ error: expected('a string or null') })
    .meta(facets)
    .nullable()
    .optional();
const url = text({ format: 'uri', minLength: 1, maxLength: maxUriLength, pattern: httpsUriPattern });
const { displayName, accent, statementDescriptor, letter } = brandingPatterns;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const logo = z
  .string({ error: expected('a file in base64 or null') })
  .max(Math.ceil(maxLogoBytes / 3) * 4, { error: `must be a file of at most ${maxLogoBytes / 1024} KB` })
  .regex(base64, { error: 'must be a file in base64' })
  .meta({ id: 'LogoFile' })
  .transform((value) => Buffer.from(value, 'base64'))
  .nullable()
  .optional();

/**
 * Body of PATCH /v1/branding. A text sets a field, null clears it, and an absent field stays as it is. `logo`
 * and `darkLogo` are files in base64.
 */
export const changeBrandingBody = z.strictObject(
  {
    displayName: text({ pattern: displayName }),
    accent: text({ pattern: accent, examples: ['#1d4ed8'] }),
    supportEmail: text({ format: 'email', maxLength: maxEmailLength }),
    supportUrl: url,
    termsUrl: url,
    privacyUrl: url,
    statementDescriptor: text({ allOf: [{ pattern: statementDescriptor }, { pattern: letter }] }),
    logo,
    darkLogo: logo,
  },
  object,
);
