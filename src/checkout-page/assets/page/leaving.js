import { framed, told } from './dom.js';
import { isShopListening, tellShop } from './shop.js';

/* Going on: this page anew, the wallet, the shop. */

const minuteMs = 60_000;
/** More would be a page that loads itself in circles. */
const loadsPerMinute = 6;
/** A page that is on its way asks for nothing again so soon, in ms; one whose way was stopped does. */
const onItsWayMs = 10_000;
let leftAt = 0;

/**
 * Loads the page anew, because its state is now `fingerprint`. Answers whether it does. A page that was loaded for this very state
 * and came out as another one waits, twice as long each time; and none is loaded more than a few times a minute.
 */
export const showAnew = (fingerprint) => {
  const now = Date.now();
  if (now - leftAt < onItsWayMs) return true;
  const { wanted, times = 0, loads = [] } = window.history.state?.checkout ?? {};
  const lately = loads.filter((at) => now - at < minuteMs);
  const again = wanted === fingerprint ? times + 1 : 0;
  const soonest = Math.min(minuteMs, 1_000 * 2 ** again);
  if (again > 0 && now - (lately.at(-1) ?? 0) < soonest) return false;
  if (lately.length >= loadsPerMinute) return false;
  const checkout = { wanted: fingerprint, times: again, loads: [...lately, now] };
  window.history.replaceState({ checkout }, '', `${told.path}?${told.query}#status`);
  leftAt = now;
  window.location.reload();
  return true;
};

/** To a page of somebody else. Wallets are rarely let into a frame: the shop's window goes there, and comes back to this payment. */
export const leaveFor = (url) => {
  if (isShopListening()) tellShop('redirect', { url });
  else window.location.assign(url);
};

/** The payment is made: to the shop, which in a frame is told instead. Answers whether the page goes. */
export const finish = ({ fingerprint, next }) => {
  if (framed) return showAnew(fingerprint);
  window.location.replace(next);
  return true;
};
