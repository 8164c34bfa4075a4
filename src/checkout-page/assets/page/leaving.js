import { framed, pageData } from './dom.js';
import { isShopListening, postToShop } from './shop.js';

/* Leaving the page as it is: for its next state, the wallet or the shop. */

const minuteMs = 60_000;
/** More reloads than this would be a loop. */
const loadsPerMinute = 6;
/** A reload counts as still running for this time, in ms; after that it was stopped and may be repeated. */
const onItsWayMs = 10_000;
let leftAt = 0;

/**
 * Reloads the page because its state is now `fingerprint`, and returns whether it does. When a reload for
 * this state showed another one, the next waits twice as long; no page reloads more often than
 * `loadsPerMinute`.
 */
export const reloadPage = (fingerprint) => {
  const now = Date.now();
  if (now - leftAt < onItsWayMs) return true;
  const { wanted, times = 0, loads = [] } = window.history.state?.checkout ?? {};
  const lately = loads.filter((at) => now - at < minuteMs);
  const again = wanted === fingerprint ? times + 1 : 0;
  const soonest = Math.min(minuteMs, 1_000 * 2 ** again);
  if (again > 0 && now - (lately.at(-1) ?? 0) < soonest) return false;
  if (lately.length >= loadsPerMinute) return false;
  const checkout = { wanted: fingerprint, times: again, loads: [...lately, now] };
  window.history.replaceState({ checkout }, '', `${pageData.path}?${pageData.query}#status`);
  leftAt = now;
  window.location.reload();
  return true;
};

/**
 * Goes to a page of another site. Wallets refuse to be framed, so an embedding shop navigates its own window.
 */
export const goTo = (url) => {
  if (isShopListening()) postToShop('redirect', { url });
  else window.location.assign(url);
};

/**
 * Goes to the shop after the payment; in a frame the page shows it as paid. Returns whether the page changes.
 */
export const goToShop = ({ fingerprint, next }) => {
  if (framed) return reloadPage(fingerprint);
  window.location.replace(next);
  return true;
};
