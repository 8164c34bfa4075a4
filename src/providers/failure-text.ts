import { entryNamed } from '../domain/entry-named.ts';

/**
 * The service's failure codes (docs/merchants.md) with texts that a merchant may show. Receivers accept
 * unknown codes.
 */
const texts: Readonly<Record<string, string>> = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
  lost_card: 'The card cannot be used.',
  stolen_card: 'The card cannot be used.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code is incorrect.',
  card_not_supported: 'The card is not supported.',
  fraud_suspected: 'The payment was declined.',
  processing_error: 'The payment could not be processed.',
  authentication_failed: 'The customer could not be authenticated.',
  wallet_declined: 'The wallet declined the payment.',
  pix_rejected: 'The pix payment was rejected.',
};

/**
 * Characters that PostgreSQL or a shop's page does not accept: control characters, including NUL, and lone
 * surrogates.
 */
const unprintable = /[\p{Cc}\p{Cs}]/gu;

/**
 * Returns a provider's code and text within the specification's limits: code 1-128, message 1-500 characters,
 * without control characters.
 */
export function boundedFailure(
  code: string | null,
  message: string | null,
): { failureCode: string; message: string } {
  const failureCode = clean(code ?? '', 128) || 'processing_error';
  const text = entryNamed(texts, failureCode) ?? message ?? '';
  return { failureCode, message: clean(text, 500) || 'The payment was declined.' };
}

const clean = (text: string, maxLength: number): string =>
  Array.from(text.replaceAll(unprintable, '')).slice(0, maxLength).join('').trim();
