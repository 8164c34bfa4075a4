import { brandOf, isExpired, isNoMonth, isRefused, passesLuhn, readExpiry, rules } from './card.js';
import { cvv, digits, expiry, fields, number } from './fields.js';
import { postToParent } from './parent.js';

const numberProblem = () => {
  const typed = digits(number);
  if (typed === '') return 'empty';
  if (isRefused(typed)) return 'refused';
  const { lengths, usual } = rules();
  if (lengths.includes(typed.length) && passesLuhn(typed)) return null;
  return typed.length < usual ? 'short' : 'wrong';
};

const expiryProblem = () => {
  if (expiry.value.trim() === '') return 'empty';
  if (isNoMonth(expiry.value)) return 'month';
  const date = readExpiry(expiry.value);
  if (!date || !/^(0[1-9]|1[0-2])$/.test(date.month)) return 'wrong';
  return isExpired(date) ? 'expired' : null;
};

const cvvProblem = () => {
  if (digits(cvv) === '') return 'empty';
  return digits(cvv).length === rules().code ? null : 'wrong';
};

/** Returns the name of the problem's text, or null. */
export const problemOf = (field) => {
  if (field === number) return numberProblem();
  return field === expiry ? expiryProblem() : cvvProblem();
};

/** The values that the vault rejected. The problem stays until the value changes. */
let rejected = null;

export const rememberRejection = (field, problem) => {
  rejected = { field, value: field.value, problem };
};
export const forgetRejection = () => {
  rejected = null;
};

export const knownProblemOf = (field) =>
  rejected?.field === field && rejected.value === field.value ? rejected.problem : problemOf(field);

/**
 * Returns a problem that is worth showing while the field is still being typed, because further typing cannot
 * solve it.
 */
export const earlyProblemOf = (field) => {
  const problem = problemOf(field);
  return problem === 'refused' || problem === 'month' ? problem : null;
};

let lastValid = null;

export const reportValidity = () => {
  const valid = fields.every((field) => problemOf(field) === null);
  if (valid === lastValid) return;
  lastValid = valid;
  postToParent('validity', { valid });
};

/** Returns everything that the parent learns about the card number. */
export const cardSummary = () => ({ brand: brandOf(digits(number)), last4: digits(number).slice(-4) });
