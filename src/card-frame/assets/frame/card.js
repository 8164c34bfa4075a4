import { digits, number } from './fields.js';

const brands = {
  visa: { name: 'Visa', lengths: [13, 16, 19], usual: 16, code: 3 },
  mastercard: { name: 'Mastercard', lengths: [16], usual: 16, code: 3 },
  amex: { name: 'Amex', lengths: [15], usual: 15, code: 4 },
};
const anyBrand = { name: '', lengths: [12, 13, 14, 15, 16, 17, 18, 19], usual: 16, code: 3 };

/** Empty for an unknown brand. */
export const brandOf = (digitsOfCard) => {
  if (/^3[47]/.test(digitsOfCard)) return 'amex';
  if (/^(5[1-5]|2[2-7])/.test(digitsOfCard)) return 'mastercard';
  return digitsOfCard.startsWith('4') ? 'visa' : '';
};

export const rules = () => brands[brandOf(digits(number))] ?? anyBrand;

export const passesLuhn = (digitsOfCard) => {
  const sum = [...digitsOfCard].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
};

/** Month and year (two digits each) of a typed, pasted or autofilled date, or null. */
export const readExpiry = (text) => {
  const [, year, month] = /^\s*(20\d\d)\D+(\d{1,2})\s*$/.exec(text) ?? [];
  if (year) return { month: month.padStart(2, '0'), year: year.slice(2) };
  const [first = '', ...rest] = text.split(/\D+/).filter(Boolean);
  const parts = rest.length > 0 ? [first.padStart(2, '0'), rest.join('')] : splitMonth(first);
  const [monthPart, yearPart] = parts;
  const shortYear = yearPart.length === 4 && yearPart.startsWith('20') ? yearPart.slice(2) : yearPart;
  return monthPart.length === 2 && shortYear.length === 2 ? { month: monthPart, year: shortYear } : null;
};

/** Splits digits into month and rest: a month that begins with 2 to 9 has one digit. */
export const splitMonth = (row) => {
  const length = /^(0|1([0-2]|$))/.test(row) ? 2 : 1;
  return row.length < length ? [row, ''] : [row.slice(0, length).padStart(2, '0'), row.slice(length)];
};

export const isExpired = ({ month, year }) => Date.now() >= Date.UTC(2000 + Number(year), Number(month));
