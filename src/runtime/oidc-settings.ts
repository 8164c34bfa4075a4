import { z } from 'zod';
import { url } from './setting-types.ts';

/**
 * The settings of the identity provider with which members can sign in to the dashboard. docs/dashboard.md.
 */
export const oidcShape = {
  OIDC_ISSUER: url
    .optional()
    .describe(
      'Identity provider with which members can sign in to the ' +
        'dashboard (OpenID Connect). Unset: none. docs/dashboard.md.',
    ),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('Client id of this service at the identity provider.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .min(1)
    .optional()
    .describe('Client secret of this service at the identity provider.'),
  OIDC_NAME: z
    .string()
    .min(1)
    .max(40)
    .default('your identity provider')
    .describe('Name of the identity provider on the sign-in button.'),
};
