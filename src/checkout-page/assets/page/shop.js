import { byId, framed, root, told } from './dom.js';

/* The shop that embeds the page (docs/checkout.md, "The protocol"): exact origins, no secret in a message. */

const frameOrigins = told.frameOrigins.split(' ').filter(Boolean);
/** The embedding site: told by the browser, or by its own first message; always one the payment allows. */
let shopOrigin = framed
  ? [window.location.ancestorOrigins?.[0], frameOrigins.length === 1 ? frameOrigins[0] : undefined].find(
      (origin) => frameOrigins.includes(origin),
    )
  : undefined;
/** Whether the shop answered: only then may it be trusted to lead the customer on. */
let shopListens = false;
export const isShopListening = () => shopListens;

export const tellShop = (type, more = {}) => {
  if (!framed || !shopOrigin) return;
  const message = { source: 'card-payments-checkout', v: 1, type, paymentId: told.paymentId, ...more };
  window.parent.postMessage(message, shopOrigin);
};

const tellState = () => {
  tellShop('ready', { version: 1 });
  tellShop('state', { state: told.kind });
  if (told.kind === 'paid') tellShop('complete', { url: told.successUrl });
  if (told.kind === 'closed') tellShop('closed', {});
  if (told.kind === 'challenge' || told.kind === 'wallet') tellShop('action_required', {});
};

/** Of the content: a page that is as high as its frame would never become smaller again. */
const tellHeight = () => {
  tellShop('resize', { height: Math.ceil(root.getBoundingClientRect().height) });
};

const hearShop = (event) => {
  if (!framed || event.source !== window.parent || !frameOrigins.includes(event.origin)) return;
  const message = event.data;
  if (message?.source !== 'card-payments-embed' || message.v !== 1 || message.type !== 'hello') return;
  const first = !shopListens;
  shopOrigin = event.origin;
  shopListens = true;
  if (first) tellState();
  tellHeight();
};

/** Cancel is the shop's to answer where it listens. */
const cancelByShop = (event) => {
  if (!shopListens) return;
  event.preventDefault();
  tellShop('cancel', { url: event.currentTarget.href });
};

export const meetShop = () => {
  window.addEventListener('message', hearShop);
  byId('cancel')?.addEventListener('click', cancelByShop);
  if (!framed) return;
  new ResizeObserver(tellHeight).observe(root);
  tellState();
};
