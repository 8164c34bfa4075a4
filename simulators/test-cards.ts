/** The behaviour of a card at the network; the vault only needs the numbers. */
export type CardBehaviour =
  | 'paid'
  | 'declined'
  | 'insufficientFundsOnce'
  | 'lostCard'
  | 'processingError'
  | 'challenge'
  | 'challengeThenDeclined'
  | 'paidThenDisputed'
  | 'paidRefundPending'
  | 'paidRefundFailsLater'
  | 'paidAnswerLost'
  | 'declinedAnswerLost'
  | 'lateSuccess'
  | 'slow'
  | 'tokenRejected';

/** The published test numbers, the only ones that the simulators accept: real cards must be refused. */
const TEST_CARDS: ReadonlyMap<string, CardBehaviour> = new Map([
  ['4242424242424242', 'paid'],
  ['5555555555554444', 'paid'],
  ['378282246310005', 'paid'],
  ['4000000000000002', 'declined'],
  ['4000000000009995', 'insufficientFundsOnce'],
  ['4000000000009987', 'lostCard'],
  ['4000000000000119', 'processingError'],
  ['4000000000003220', 'challenge'],
  ['4000008400001629', 'challengeThenDeclined'],
  ['4000000000000259', 'paidThenDisputed'],
  ['4000000000007726', 'paidRefundPending'],
  ['4000000000005126', 'paidRefundFailsLater'],
  ['4000000000007007', 'paidAnswerLost'],
  ['4000000000007106', 'declinedAnswerLost'],
  ['4000000000007205', 'lateSuccess'],
  ['4000000000007304', 'slow'],
  ['4000000000007403', 'tokenRejected'],
]);

export const TEST_CARD_NUMBERS: readonly string[] = [...TEST_CARDS.keys()];

/** A whole range that is declined, to show trials of many cards. No bank issues cards from it. */
const declinedRange = /^40000077\d{8}$/;

/** The behaviour of a test number, or null for a number that is not one. */
export function cardBehaviour(number: string): CardBehaviour | null {
  const known = TEST_CARDS.get(number);
  if (known) return known;
  return declinedRange.test(number) && hasCheckDigit(number) ? 'declined' : null;
}

/** Whether the last digit is the check digit of the others (Luhn). */
function hasCheckDigit(number: string): boolean {
  const sum = Array.from(number)
    .toReversed()
    .map(Number)
    .reduce(
      (total, digit, place) => total + (place % 2 === 0 ? digit : ((digit * 2) % 10) + Math.floor(digit / 5)),
      0,
    );
  return sum % 10 === 0;
}

export type CardBrand = 'visa' | 'mastercard' | 'amex';

export function cardBrand(number: string): CardBrand {
  if (number.startsWith('34') || number.startsWith('37')) return 'amex';
  return number.startsWith('5') ? 'mastercard' : 'visa';
}

/** Security code length in digits. */
export function cvvLength(brand: CardBrand): 3 | 4 {
  return brand === 'amex' ? 4 : 3;
}

/** The issuer of a card. All fields are text, so that an adapter can pass them on unchanged. */
export interface CardIssuer {
  bank: string;
  countryCode: string;
  countryName: string;
  type: string;
  level: string;
  category: string;
  regulated: string;
}

const ISSUERS: Readonly<Record<CardBrand, Pick<CardIssuer, 'bank' | 'type' | 'level' | 'regulated'>>> = {
  visa: { bank: 'First Sandbox Bank', type: 'credit', level: 'classic', regulated: 'no' },
  mastercard: { bank: 'Second Sandbox Bank', type: 'debit', level: 'standard', regulated: 'yes' },
  amex: { bank: 'Sandbox Express', type: 'credit', level: 'gold', regulated: 'no' },
};

export function cardIssuer(number: string): CardIssuer {
  return {
    ...ISSUERS[cardBrand(number)],
    countryCode: 'US',
    countryName: 'United States',
    category: 'consumer',
  };
}
