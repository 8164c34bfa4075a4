/**
 * The issuer data of a card, as the vault returns it. Each is a string of at most 128 characters, or null.
 * Spec: Payment.
 */
export interface CardIssuer {
  bank: string | null;
  countryCode: string | null;
  countryName: string | null;
  type: string | null;
  level: string | null;
  category: string | null;
  regulated: string | null;
}

/** The facts of a captured card that may be shown, never its number. `bin` has 6 to 8 digits. */
export interface CardFacts {
  brand: string;
  last4: string;
  bin: string | null;
  issuer: CardIssuer | null;
  /** The provider's identifier of the card's number, the same at every capture; null: it gives none. */
  fingerprint: string | null;
}
