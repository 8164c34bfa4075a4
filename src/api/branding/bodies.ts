import * as z from 'zod';
import { expected, object } from '../http/fields.ts';
import { maxLogoBytes } from '../../branding/logo.ts';

const text = z
  .string({ error: expected('a string or null') })
  .nullable()
  .optional();
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Body of PATCH /v1/branding: a text sets, null clears, what is left out stays. `logo`: the file in base64.
 */
export const changeBrandingBody = z.strictObject(
  {
    displayName: text,
    accent: text.meta({ examples: ['#1d4ed8'] }),
    supportEmail: text,
    supportUrl: text,
    termsUrl: text,
    privacyUrl: text,
    statementDescriptor: text,
    logo: z
      .string({ error: expected('a file in base64 or null') })
      .max(Math.ceil(maxLogoBytes / 3) * 4, { error: `must be a file of at most ${maxLogoBytes / 1024} KB` })
      .regex(base64, { error: 'must be a file in base64' })
      .transform((value) => Buffer.from(value, 'base64'))
      .nullable()
      .optional(),
  },
  object,
);
