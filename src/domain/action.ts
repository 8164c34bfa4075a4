/**
 * The customer's step at the network, as the network returns it. It is secret and stored sealed. `expiresAt`:
 * ISO 8601. Spec: Status object > action.
 */
export type ProviderAction =
  | { kind: 'threeDS'; clientSecret: string; publishableKey: string; url: string }
  | { kind: 'wallet'; url: string; expiresAt: string }
  | { kind: 'pix'; code: string; url: string; expiresAt: string; amountBrl?: AmountBrl | undefined };

/** The amount of a Pix: cents of a real, the rate for one dollar (a decimal) and its instant (ISO 8601). */
export interface AmountBrl {
  amountCents: number;
  rate: string;
  rateAt: string;
}
