import type { Operation } from '../http/operation.ts';
import { dataOf } from '../http/schema.ts';
import { changeBrandingBody } from './bodies.ts';
import { BrandingView, ClearedBranding } from './schema.ts';

const path = '/v1/branding';
const group = 'Checkout page';

/** Operations of a shop's branding (docs/checkout.md). */
export const brandingOperations: readonly Operation[] = [
  {
    id: 'retrieveBranding',
    method: 'get',
    path,
    group,
    summary: 'Read the branding of the checkout page',
    description: 'In the environment of your key. What is not set is null.',
    success: 200,
    answer: dataOf(BrandingView),
    codes: [],
  },
  {
    id: 'changeBranding',
    method: 'patch',
    path,
    group,
    summary: 'Change logo, color, name and links of the checkout page',
    description:
      'A text sets a field, `null` clears it, an absent field stays. `logo` and `darkLogo`, for dark pages, are PNG or SVG files of up to 256 KB in base64.',
    body: { schema: changeBrandingBody, required: true },
    success: 200,
    answer: dataOf(BrandingView),
    codes: ['validation_failed', 'not_found'],
  },
  {
    id: 'clearBranding',
    method: 'delete',
    path,
    group,
    summary: 'Remove the branding of the checkout page',
    description: 'The page shows the name of the merchant and the standard colors.',
    success: 200,
    answer: dataOf(ClearedBranding),
    codes: [],
  },
];
