import { framed, told } from './dom.js';
import { isBusy, startPaying } from './paying.js';
import { meetShop } from './shop.js';
import { watch } from './state.js';
import { showTimes, startClock, startSteps } from './steps.js';

/*
 * The checkout page's only script (docs/checkout.md). The server knows the state; this frames the vault's card fields, keeps the page
 * from being sent twice, asks the server what changed and talks to the shop that embeds the page.
 */

// Kept by the browser as it was left: it may show a state that is long over.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload();
});

// The payment became paid while this page was on its way here: a page opened by its plain link stays.
if (told.kind === 'paid' && window.location.hash === '#status' && !framed) {
  window.location.replace(told.successUrl);
}

showTimes();
startClock();
startSteps();
startPaying();
meetShop();
watch(isBusy);
