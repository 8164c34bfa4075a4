import { form } from './fields.js';

/*
 * Messages with the page that frames the form, at exactly one origin (docs/simulators.md, "Hosted fields").
 * They hold validity, brand, last four digits and token, never the card number or security code.
 */

const { parent: parentOrigin } = form.dataset;

export const postToParent = (type, more = {}) => {
  window.parent.postMessage({ source: 'cardvault-frame', v: 1, type, ...more }, parentOrigin);
};

export const listenToParent = (on) => {
  window.addEventListener('message', (event) => {
    if (event.source !== window.parent || event.origin !== parentOrigin) return;
    const message = event.data;
    if (message?.source !== 'cardvault-parent' || message.v !== 1) return;
    if (message.type === 'init' && typeof message.frameKey === 'string') on.init(message);
    else if (message.type === 'submit' && Number.isSafeInteger(message.id)) on.submit(message.id);
    else if (message.type === 'unlock') on.unlock();
    else if (message.type === 'clear') on.clear(message.all === true);
    else if (message.type === 'focus') on.focus();
  });
};

let lastHeight = 0;

export const reportHeight = () => {
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height === lastHeight) return;
    lastHeight = height;
    postToParent('resize', { height });
  }).observe(document.documentElement);
};
