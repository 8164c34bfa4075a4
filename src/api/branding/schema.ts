import * as z from 'zod';
import { nullableText, uri } from '../http/schema.ts';

const BrandingLogo = z
  .strictObject({
    url: uri(),
    contentType: z.enum(['image/png', 'image/svg+xml']),
    width: z.int(),
    height: z.int(),
  })
  .meta({ id: 'BrandingLogo', description: 'A logo as it is served.' });

/** A shop's branding on its customers' pages, for the OpenAPI document (docs/checkout.md). */
export const BrandingView = z
  .strictObject({
    displayName: nullableText(1, 60),
    accent: z.string().nullable().meta({ description: 'Any color as `#rrggbb`.' }),
    supportEmail: nullableText(3, 320),
    supportUrl: uri().nullable(),
    termsUrl: uri().nullable(),
    privacyUrl: uri().nullable(),
    statementDescriptor: nullableText(5, 22),
    logo: BrandingLogo.nullable(),
    darkLogo: BrandingLogo.nullable(),
  })
  .meta({ id: 'Branding', description: 'How the checkout of one environment looks.' });

export const ClearedBranding = z
  .strictObject({ cleared: z.boolean() })
  .meta({ id: 'ClearedBranding', description: 'Whether there was anything to clear.' });
