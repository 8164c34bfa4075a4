/**
 * The customer's step at the network, as the network gives it. Secret: kept sealed. `expiresAt`: ISO 8601.
 * Spec: Status object > action.
 */
export type ProviderAction =
  | { kind: 'threeDS'; clientSecret: string; publishableKey: string; url: string }
  | { kind: 'wallet'; url: string; expiresAt: string }
  | { kind: 'pix'; code: string; url: string; expiresAt: string };
