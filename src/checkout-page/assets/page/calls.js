import { isText, pageData } from './dom.js';

/**
 * Returns `{status, retryMs, answer}`. Throws if no complete answer arrives within `waitMs`; the outcome is
 * then unknown.
 */
export const call = async (verb, fields, waitMs) => {
  const response = await fetch(`${pageData.path}/${verb}?${pageData.query}`, {
    method: fields ? 'POST' : 'GET',
    headers: { accept: 'application/json' },
    ...(fields ? { body: new URLSearchParams({ form: pageData.formToken, ...fields }) } : {}),
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(waitMs),
  });
  const retryMs = 1_000 * (Number(response.headers.get('retry-after')) || 0);
  return { status: response.status, retryMs, answer: await response.json() };
};

/** Whether an answer holds the state; the answer to a rejected request may not. */
export const isState = (answer) =>
  isText(answer?.fingerprint, 1, 100) &&
  isText(answer.kind, 1, 20) &&
  isText(answer.next, 1, 4_096) &&
  URL.canParse(answer.next, window.location.href) &&
  typeof answer.paid === 'boolean';
