import { brandOf, isExpired, passesLuhn, readExpiry, rules } from './card.js';
import { cvv, digits, expiry, fields, number } from './fields.js';
import { postToParent } from './parent.js';

/* Which fields are valid. */

const numberProblem = () => {
  const typed = digits(number);
  if (typed === '') return 'empty';
  const { lengths, usual } = rules();
  if (lengths.includes(typed.length) && passesLuhn(typed)) return null;
  return typed.length < usual ? 'short' : 'wrong';
};

const expiryProblem = () => {
  if (expiry.value.trim() === '') return 'empty';
  const date = readExpiry(expiry.value);
  if (!date || !/^(0[1-9]|1[0-2])$/.test(date.month)) return 'wrong';
  return isExpired(date) ? 'expired' : null;
};

const cvvProblem = () => {
  if (digits(cvv) === '') return 'empty';
  return digits(cvv).length === rules().code ? null : 'wrong';
};

/** Problem of a field, as the name of its text; null when the field is valid. */
export const problemOf = (field) => {
  if (field === number) return numberProblem();
  return field === expiry ? expiryProblem() : cvvProblem();
};

/** The field that the vault rejected, with its value then: the problem stays until the value changes. */
let rejected = null;

export const rememberRejection = (field, problem) => {
  rejected = { field, value: field.value, problem };
};
export const forgetRejection = () => {
  rejected = null;
};

/** Problem of a field, including what the vault rejected. */
export const knownProblemOf = (field) =>
  rejected?.field === field && rejected.value === field.value ? rejected.problem : problemOf(field);

let lastValid = null;

/** Notifies the parent when the form becomes valid or invalid. */
export const reportValidity = () => {
  const valid = fields.every((field) => problemOf(field) === null);
  if (valid === lastValid) return;
  lastValid = valid;
  postToParent('validity', { valid });
};

/** Brand and last four digits: all that the parent learns of the card number. */
export const cardSummary = () => ({ brand: brandOf(digits(number)), last4: digits(number).slice(-4) });
