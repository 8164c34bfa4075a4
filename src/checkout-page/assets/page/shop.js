import { byId, framed, root, pageData } from './dom.js';

/*
 * Messages with an embedding shop (docs/checkout.md, "The protocol"). Origins are exact, and no message holds
 * a secret.
 */

const frameOrigins = pageData.frameOrigins.split(' ').filter(Boolean);
/** The shop's origin, from the browser or the shop's first message; always one that the payment allows. */
let shopOrigin = framed
  ? [window.location.ancestorOrigins?.[0], frameOrigins.length === 1 ? frameOrigins[0] : undefined].find(
      (origin) => frameOrigins.includes(origin),
    )
  : undefined;
/** Whether the shop has answered; only then may it navigate. */
let shopListens = false;
export const isShopListening = () => shopListens;

export const postToShop = (type, more = {}) => {
  if (!framed || !shopOrigin) return;
  const message = { source: 'card-payments-checkout', v: 1, type, paymentId: pageData.paymentId, ...more };
  window.parent.postMessage(message, shopOrigin);
};

const postState = () => {
  postToShop('ready', { version: 1 });
  postToShop('state', { state: pageData.kind });
  if (pageData.kind === 'paid') postToShop('complete', { url: pageData.successUrl });
  if (pageData.kind === 'closed') postToShop('closed', {});
  if (pageData.kind === 'challenge' || pageData.kind === 'wallet') postToShop('action_required', {});
};

/** Sends the height of the content, because the document is never smaller than its frame. */
const postHeight = () => {
  postToShop('resize', { height: Math.ceil(root.getBoundingClientRect().height) });
};

const onShopMessage = (event) => {
  if (!framed || event.source !== window.parent || !frameOrigins.includes(event.origin)) return;
  const message = event.data;
  if (message?.source !== 'card-payments-embed' || message.v !== 1 || message.type !== 'hello') return;
  const first = !shopListens;
  shopOrigin = event.origin;
  shopListens = true;
  if (first) postState();
  postHeight();
};

const cancelByShop = (event) => {
  if (!shopListens) return;
  event.preventDefault();
  postToShop('cancel', { url: event.currentTarget.href });
};

export const connectShop = () => {
  window.addEventListener('message', onShopMessage);
  byId('cancel')?.addEventListener('click', cancelByShop);
  if (!framed) return;
  new ResizeObserver(postHeight).observe(root);
  postState();
};
