import { framed, pageData } from './dom.js';
import { isShopListening, postToShop } from './shop.js';

const minuteMs = 60_000;
/** More reloads would be a loop. */
const loadsPerMinute = 6;
/** A reload that has not happened after this time (ms) was stopped. */
const onItsWayMs = 10_000;
let leftAt = 0;

/**
 * Reloads for the state `fingerprint`, and returns whether it does. If the last reload showed another state,
 * the next one waits twice as long.
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

/** Wallets refuse to be framed, so an embedding shop navigates its own window. */
export const goTo = (url) => {
  if (isShopListening()) postToShop('redirect', { url });
  else window.location.assign(url);
};

/**
 * Goes to the shop. In a frame, the page itself shows the payment as paid. Returns whether the page changes.
 */
export const goToShop = ({ fingerprint, next }) => {
  if (framed) return reloadPage(fingerprint);
  window.location.replace(next);
  return true;
};
