import { digits, form, number } from './fields.js';

const brands = {
  visa: { name: 'Visa', lengths: [13, 16, 19], usual: 16, code: 3 },
  mastercard: { name: 'Mastercard', lengths: [16], usual: 16, code: 3 },
  amex: { name: 'Amex', lengths: [15], usual: 15, code: 4 },
  discover: { name: 'Discover', lengths: [16, 17, 18, 19], usual: 16, code: 3 },
  diners: { name: 'Diners Club', lengths: [14, 15, 16, 17, 18, 19], usual: 14, code: 3 },
  jcb: { name: 'JCB', lengths: [16, 17, 18, 19], usual: 16, code: 3 },
  unionpay: { name: 'UnionPay', lengths: [16, 17, 18, 19], usual: 19, code: 3 },
  elo: { name: 'Elo', lengths: [16], usual: 16, code: 3 },
  hipercard: { name: 'Hipercard', lengths: [13, 16, 19], usual: 16, code: 3 },
};
const anyBrand = { name: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], usual: 19, code: 3 };

/** Ranges of the first six digits, all inside the ranges of other brands. */
const eloRanges = [
  [401178, 401179],
  [431274, 431274],
  [438935, 438935],
  [451416, 451416],
  [457393, 457393],
  [457631, 457632],
  [504175, 504175],
  [506699, 506778],
  [509000, 509999],
  [627780, 627780],
  [636297, 636297],
  [636368, 636368],
  [650031, 650033],
  [650035, 650051],
  [650405, 650439],
  [650485, 650538],
  [650541, 650598],
  [650700, 650718],
  [650720, 650727],
  [650901, 650978],
  [651652, 651679],
  [655000, 655019],
  [655021, 655058],
];
const prefixes = [
  ['hipercard', /^(606282|3841[046]0|637(095|568|599|609|612))/],
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['diners', /^3(0[0-59]|[689])/],
  ['jcb', /^35(2[89]|[3-8])/],
  ['discover', /^(6011|64[4-9]|65)/],
  ['unionpay', /^(62|81)/],
];

/** Returns the card's brand; empty for an unknown one. */
export const brandOf = (digitsOfCard) => {
  const prefix = digitsOfCard.length < 6 ? 0 : Number(digitsOfCard.slice(0, 6));
  if (eloRanges.some(([from, to]) => prefix >= from && prefix <= to)) return 'elo';
  return prefixes.find(([, pattern]) => pattern.test(digitsOfCard))?.[0] ?? '';
};

/** Whether the first six digits show a brand that is not accepted here. */
export const isRefused = (digitsOfCard) => {
  const brand = brandOf(digitsOfCard);
  return digitsOfCard.length >= 6 && brand !== '' && !form.dataset.accepted.split(' ').includes(brand);
};

export const rules = () => brands[brandOf(digits(number))] ?? anyBrand;

export const passesLuhn = (digitsOfCard) => {
  const sum = [...digitsOfCard].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
};

/** Returns month and year (two digits each) of a typed, pasted or autofilled date, or null. */
export const readExpiry = (text) => {
  const [, year, month] = /^\s*(20\d\d)\D+(\d{1,2})\s*$/.exec(text) ?? [];
  if (year) return { month: month.padStart(2, '0'), year: year.slice(2) };
  const [first = '', ...rest] = text.split(/\D+/).filter(Boolean);
  const parts = rest.length > 0 ? [first.padStart(2, '0'), rest.join('')] : splitMonth(first);
  const [monthPart, yearPart] = parts;
  const shortYear = yearPart.length === 4 && yearPart.startsWith('20') ? yearPart.slice(2) : yearPart;
  return monthPart.length === 2 && shortYear.length === 2 ? { month: monthPart, year: shortYear } : null;
};

/**
 * Splits digits into the month and the rest. A month that begins with 2 to 9 has one digit; 13 stays a month.
 */
export const splitMonth = (row) => {
  const length = /^[01]/.test(row) ? 2 : 1;
  return row.length < length ? [row, ''] : [row.slice(0, length).padStart(2, '0'), row.slice(length)];
};

/** Whether the month of a date is impossible, checked even while the year is typed. */
export const isNoMonth = (text) => /^\s*(00|1[3-9])(\D|$)/.test(text);

export const isExpired = ({ month, year }) => Date.now() >= Date.UTC(2000 + Number(year), Number(month));
