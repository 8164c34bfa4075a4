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
    description: 'In the environment of your key. Fields without a value are null.',
    success: 200,
    answer: dataOf(BrandingView),
    codes: [],
  },
  {
    id: 'changeBranding',
    method: 'patch',
    path,
    group,
    summary: 'Change logo, colour, name and links of the checkout page',
    description:
      'A text sets a field, `null` clears it, an absent field stays. `logo` is a PNG or SVG file in base64, 256 KB at most; it is cleaned and encoded again. A colour that is not readable on white is refused, and the message names the nearest readable one.',
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
    description: 'The page shows the name of the merchant and the standard colours again.',
    success: 200,
    answer: dataOf(ClearedBranding),
    codes: [],
  },
];
