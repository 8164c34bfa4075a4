import { readExpiry } from './card.js';
import { cvv, digits, expiry, fields, form, lock, number, showFormProblem, showProblem } from './fields.js';
import { postToParent } from './parent.js';
import { cardSummary, forgetRejection, problemOf, rememberRejection } from './validation.js';

/* Sends the card to the capture address and nowhere else; the page's policy enforces that. */

let frameKey = null;
export const setFrameKey = (key) => {
  frameKey = key;
};

/** The id of the running submission, or 0. */
let capturing = 0;

/** `id` is that of the parent's message, which every answer repeats. */
const fail = (id, code, text = '') => {
  showFormProblem(text);
  lock(false);
  postToParent('error', { id, code });
};

const showRejection = (id, status, error) => {
  // An expired capture address is rejected or no longer exists.
  if ([401, 403, 404, 410].includes(status)) return fail(id, 'access_over', form.dataset.accessOver);
  const named = { card_expiry_month: expiry, card_expiry_year: expiry, card_cvv: cvv, card_number: number };
  const field = status === 422 ? number : Object.hasOwn(named, error?.field) ? named[error.field] : null;
  if (!field) return fail(id, 'vault_unavailable', form.dataset.unavailable);
  const problem = status === 422 ? 'unsupported' : 'wrong';
  rememberRejection(field, problem);
  showProblem(field, problem);
  field.focus();
  return fail(id, status === 422 ? 'card_not_supported' : 'invalid_fields');
};

const capture = async (id) => {
  const { month, year } = readExpiry(expiry.value);
  const { captureUrl, keyHeader } = form.dataset;
  const summary = cardSummary();
  const response = await fetch(captureUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [keyHeader]: frameKey },
    body: JSON.stringify({
      card_number: digits(number),
      card_cvv: digits(cvv),
      card_expiry_month: month,
      card_expiry_year: year,
    }),
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(15_000),
  });
  const answer = await response.json();
  if (!response.ok) return showRejection(id, response.status, answer.error);
  const { token, reference } = answer;
  return postToParent('token', { id, token, reference, ...summary });
};

/** Captures the card if it is valid. The parent receives `token` or `error`. */
export const submit = async (id) => {
  if (capturing === id) return;
  showFormProblem('');
  forgetRejection();
  for (const field of fields) showProblem(field, problemOf(field));
  const wrong = fields.find((field) => problemOf(field) !== null);
  if (wrong) {
    wrong.focus();
    fail(id, 'invalid_fields');
    return;
  }
  if (frameKey === null) {
    fail(id, 'not_initialised');
    return;
  }
  capturing = id;
  lock(true);
  try {
    await capture(id);
  } catch {
    fail(id, 'vault_unavailable', form.dataset.unavailable);
  } finally {
    capturing = 0;
  }
};
