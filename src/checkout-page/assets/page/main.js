import { framed, pageData } from './dom.js';
import { isBusy, startPaying } from './paying.js';
import { connectShop } from './shop.js';
import { startPolling } from './state.js';
import { showTimes, startClock, startSteps } from './steps.js';

/*
 * The checkout page's only script (docs/checkout.md). The server owns the state. The script frames the
 * vault's card fields, prevents double submission, polls the state and exchanges messages with an embedding
 * shop.
 */

// The back/forward cache may show an old state.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload();
});

// The payment was paid while this page reloaded. A page opened by its plain link stays.
if (pageData.kind === 'paid' && window.location.hash === '#status' && !framed) {
  window.location.replace(pageData.successUrl);
}

showTimes();
startClock();
startSteps();
startPaying();
connectShop();
startPolling(isBusy);
