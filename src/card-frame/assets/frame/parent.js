import { form } from './fields.js';

/*
 * Messages to and from the page that frames the form, which has exactly one origin (docs/simulators.md,
 * "Hosted fields"). The parent gets validity, brand, last four digits and the token, never the card number or
 * the security code.
 */

const { parent: parentOrigin } = form.dataset;

export const postToParent = (type, more = {}) => {
  window.parent.postMessage({ source: 'cardvault-frame', v: 1, type, ...more }, parentOrigin);
};

/**
 * Calls `on.init(message)`, `on.submit(id)` and `on.unlock()` for the parent's messages; ignores all others.
 */
export const listenToParent = (on) => {
  window.addEventListener('message', (event) => {
    if (event.source !== window.parent || event.origin !== parentOrigin) return;
    const message = event.data;
    if (message?.source !== 'cardvault-parent' || message.v !== 1) return;
    if (message.type === 'init' && typeof message.frameKey === 'string') on.init(message);
    else if (message.type === 'submit' && Number.isSafeInteger(message.id)) on.submit(message.id);
    else if (message.type === 'unlock') on.unlock();
  });
};

let lastHeight = 0;

/** Posts the height of the form whenever it changes, in CSS pixels. */
export const reportHeight = () => {
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height === lastHeight) return;
    lastHeight = height;
    postToParent('resize', { height });
  }).observe(document.documentElement);
};
