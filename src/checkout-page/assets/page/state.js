import { call, isState } from './calls.js';
import { byId, pageData } from './dom.js';
import { goToShop, goTo, reloadPage } from './leaving.js';

/* Polls the state: less often over time, and never with two requests at once. */

/** First polling interval by state, and the longest one, in ms. */
const firstMs = {
  processing: 1_000,
  challenge: 2_000,
  wallet: 2_000,
  pix: 2_000,
  elsewhere: 5_000,
  open: 15_000,
};
const everyMs = pageData.unsettled === 'true' ? 5_000 : (firstMs[pageData.kind] ?? 0);
const longestMs = 30_000;

let shown = pageData.fingerprint;
let pending = null;
let timer = 0;
let failures = 0;
let mayFetchAt = 0;
let visibleSince = Date.now();

/** Set by an event or a failed request, because the browser's own flag may be wrong from the beginning. */
let offline = false;
export const isOffline = () => offline;
const showOffline = (isLost) => {
  if (offline === isLost) return;
  offline = isLost;
  byId('offline').hidden = !isLost;
  byId('offline').textContent = isLost ? pageData.offline : '';
};

const fetchStateOnce = async () => {
  try {
    const { answer, retryMs } = await call('state', null, 10_000);
    mayFetchAt = Date.now() + retryMs;
    showOffline(false);
    if (!isState(answer)) throw new TypeError('not a state');
    failures = 0;
    return answer;
  } catch {
    // The page keeps the last known state.
    failures += 1;
    if (!navigator.onLine) showOffline(true);
    return null;
  }
};

/** Returns the server's state, or null if there was no answer. */
export const fetchState = () => {
  pending ??= fetchStateOnce().finally(() => {
    pending = null;
  });
  return pending;
};

/**
 * Shows the server's state; returns whether the page is left. A state that is already shown causes no reload.
 */
export const applyState = (now) => {
  if (now.paid && pageData.kind !== 'paid') return goToShop(now);
  if (now.fingerprint === shown) return false;
  const next = new URL(now.next, window.location.href);
  if (next.origin !== window.location.origin) {
    goTo(next.href);
    return true;
  }
  if (now.kind !== 'open' || pageData.kind !== 'open') return reloadPage(now.fingerprint);
  // Another attempt is possible; the fields keep what was typed.
  shown = now.fingerprint;
  showFailure(now.failure);
  return false;
};

/** Builds the same markup as the server (methods-form.tsx). */
const showFailure = (failure) => {
  byId('status')?.remove();
  if (!failure || typeof failure.title !== 'string') return;
  const box = document.createElement('div');
  box.id = 'status';
  box.className = failure.neutral ? 'note' : 'alert';
  box.role = failure.neutral ? 'status' : 'alert';
  box.tabIndex = -1;
  box.dataset.testid = 'attempt-failed';
  const title = document.createElement('strong');
  title.append(failure.title);
  for (const content of [title, String(failure.detail)]) {
    const line = document.createElement('p');
    line.append(content);
    box.append(line);
  }
  if (byId('method-card')?.checked && !failure.neutral && byId('card-fields').querySelector('.ready')) {
    const other = document.createElement('button');
    other.type = 'button';
    other.id = 'another-card';
    other.className = 'inline';
    other.append(pageData.anotherCard);
    box.append(other);
  }
  byId('problem').hidden = true;
  byId('pay-form').querySelector('h1').after(box);
  box.focus();
};

/** Returns the next interval in ms. It grows with the age of the state and after failures. */
export const nextPollMs = () => {
  const age = Math.min(longestMs, Math.max(everyMs, (Date.now() - visibleSince) / 30));
  return Math.max(mayFetchAt - Date.now(), Math.min(longestMs, age * 2 ** Math.min(failures, 5)));
};

/** Polls while the page is visible. `isBusy`: whether paying.js is polling itself. */
export const startPolling = (isBusy) => {
  const poll = async () => {
    if (!document.hidden && !isBusy()) {
      const now = await fetchState();
      if (now && !isBusy() && applyState(now)) return;
    }
    pollLater();
  };
  const pollLater = () => {
    clearTimeout(timer);
    if (everyMs > 0) timer = setTimeout(() => void poll(), nextPollMs());
  };
  const pollNow = () => {
    visibleSince = Date.now();
    if (Date.now() >= mayFetchAt) void poll();
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) pollNow();
  });
  window.addEventListener('offline', () => showOffline(true));
  window.addEventListener('online', () => {
    showOffline(false);
    pollNow();
  });
  // The bank's page navigated, so the customer may have answered.
  byId('challenge')?.addEventListener('load', pollNow);
  pollLater();
};
