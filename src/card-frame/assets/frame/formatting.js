import { brandOf, readExpiry, rules, splitMonth } from './card.js';
import { byId, cvv, digits, number } from './fields.js';

/** Returns the digits in groups, as printed on the card. */
export const groupNumber = (typed) =>
  brandOf(typed) === 'amex' || (brandOf(typed) === 'diners' && typed.length <= 14)
    ? [typed.slice(0, 4), typed.slice(4, 10), typed.slice(10, 15)].filter(Boolean).join(' ')
    : typed.slice(0, 19).replace(/(\d{4})(?=\d)/g, '$1 ');

export const groupExpiry = (text, isDeleting) => {
  const whole = /^\s*20\d\d\D/.test(text) ? readExpiry(text) : null;
  if (whole) return `${whole.month} / ${whole.year}`;
  const [first = '', ...rest] = text.split(/\D+/);
  const isParted = first !== '' && rest.length > 0;
  const [month, typed] = isParted
    ? [first.padStart(2, '0'), rest.join('')]
    : splitMonth(first || rest.join(''));
  // Deleting must not add the separator again.
  if (isDeleting && typed === '') return text.replace(/\D+$/, '');
  const year = /^20\d\d/.test(typed) ? typed.slice(2, 4) : typed.slice(0, 4);
  return month.length === 2 ? `${month} / ${year}` : month;
};

/** Replaces a field's text and keeps the caret behind the same digit. */
export const rewrite = (field, text) => {
  if (field.value === text) return;
  const before = field.value.slice(0, field.selectionStart).replace(/\D/g, '').length;
  const atEnd = field.selectionStart === field.value.length;
  field.value = text;
  if (document.activeElement !== field) return;
  let at = 0;
  for (let seen = 0; seen < before && at < text.length; at += 1) if (/\d/.test(text[at])) seen += 1;
  const caret = atEnd ? text.length : at;
  field.setSelectionRange(caret, caret);
};

/** Shows the mark of a brand. Its name is shown until the mark has loaded, and if it does not load. */
const showMark = (brand) => {
  const mark = byId('mark');
  const address = mark.dataset[brand] ?? '';
  if ((mark.getAttribute('src') ?? '') === address) return;
  mark.hidden = true;
  mark.onload = () => {
    mark.hidden = false;
  };
  if (address === '') mark.removeAttribute('src');
  else mark.src = address;
};

export const showBrand = () => {
  byId('brand').value = rules().name;
  showMark(brandOf(digits(number)));
  const side = rules().code === 4 ? 'front' : 'back';
  cvv.dataset.side = side;
  cvv.maxLength = rules().code;
  cvv.placeholder = cvv.dataset[side];
  byId('card_cvv_hint').textContent = cvv.dataset[`${side}Hint`];
};
