import { isText, told } from './dom.js';

/**
 * One request to the server about this payment: `{status, retryMs, answer}`. Throws when there is no whole answer within `waitMs`:
 * that proves nothing.
 */
export const call = async (verb, fields, waitMs) => {
  const response = await fetch(`${told.path}/${verb}?${told.query}`, {
    method: fields ? 'POST' : 'GET',
    headers: { accept: 'application/json' },
    ...(fields ? { body: new URLSearchParams({ form: told.formToken, ...fields }) } : {}),
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(waitMs),
  });
  const retryMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
  return { status: response.status, retryMs, answer: await response.json() };
};

/** Whether an answer tells the state of the payment, as every answer but a refused one does. */
export const isState = (answer) =>
  isText(answer?.fingerprint, 1, 100) &&
  isText(answer.kind, 1, 20) &&
  isText(answer.next, 1, 4_096) &&
  URL.canParse(answer.next, window.location.href) &&
  typeof answer.paid === 'boolean';
