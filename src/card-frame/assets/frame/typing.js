import { rules } from './card.js';
import { cvv, digits, expiry, fields, form, number, showProblem } from './fields.js';
import { groupExpiry, groupNumber, rewrite, showBrand } from './formatting.js';
import { postToParent } from './parent.js';
import { earlyProblemOf, knownProblemOf, problemOf, reportValidity } from './validation.js';

/** The field to which the form itself moved the focus, and when (ms). */
let jump = { to: null, at: 0 };
/** A Tab key this soon after the form moved the focus was meant for the same move. */
const habitMs = 1_000;

/** Focuses the next field when a person completes this one at its end. */
const advance = (field, at) => {
  const next = fields[fields.indexOf(field) + 1];
  if (!next || document.activeElement !== field || field.selectionStart !== field.value.length) return;
  // The year may become 20xx; a valid number may become longer.
  const mayGoOn = field === expiry ? /20$/.test(field.value) : digits(field).length < rules().usual;
  if (mayGoOn || problemOf(field) !== null) return;
  next.focus();
  jump = { to: next, at };
};

const onInput = (event) => {
  const { target: field } = event;
  if (!fields.includes(field)) return;
  const isDeleting = event.inputType?.startsWith('delete') ?? false;
  if (field === number) {
    rewrite(number, groupNumber(digits(number)));
    showBrand();
  } else if (field === expiry) {
    rewrite(expiry, groupExpiry(expiry.value, isDeleting));
  } else {
    rewrite(cvv, digits(cvv));
  }
  // Solved problems disappear at once. New ones appear when the field is left.
  const early = earlyProblemOf(field);
  const isOver = field.dataset.shown === 'refused' || field.dataset.shown === 'month';
  if (early !== null) showProblem(field, early);
  else if (isOver || knownProblemOf(field) === null) showProblem(field, null);
  if (field === number && cvv.value !== '' && problemOf(cvv) === null) showProblem(cvv, null);
  reportValidity();
  if (!isDeleting && event.inputType) advance(field, event.timeStamp);
};

const onKeyDown = (event) => {
  const { target: field, key } = event;
  if (!fields.includes(field)) return;
  const { to, at } = jump;
  jump = { to: null, at: 0 };
  if (key === 'Tab' && !event.shiftKey && field === to && event.timeStamp - at < habitMs) {
    event.preventDefault();
  } else if (key === 'Enter') {
    event.preventDefault();
    postToParent('pay');
  } else if (key === 'Backspace' && field.value === '' && field !== number) {
    event.preventDefault();
    const previous = fields[fields.indexOf(field) - 1];
    previous.focus();
    previous.setSelectionRange(previous.value.length, previous.value.length);
  }
};

const onPointerDown = (event) => {
  const field = event.target.closest('.cell')?.querySelector('input');
  if (!field || event.target === field) return;
  event.preventDefault();
  field.focus();
};

export const startTyping = () => {
  form.addEventListener('input', onInput);
  form.addEventListener('keydown', onKeyDown);
  form.addEventListener('focusout', ({ target: field }) => {
    if (fields.includes(field) && field.value !== '') showProblem(field, knownProblemOf(field));
  });
  form.addEventListener('pointerdown', onPointerDown);
  form.addEventListener('submit', (event) => event.preventDefault());
};
