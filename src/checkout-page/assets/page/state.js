import { call, isState } from './calls.js';
import { byId, say, told } from './dom.js';
import { finish, leaveFor, showAnew } from './leaving.js';

/* The one truth about the payment is the server's. Asked again and again, less often with time, never twice at once. */

/** How often a state that may end by itself is asked for at first, and how seldom at most, in ms. */
const firstMs = {
  processing: 1_000,
  challenge: 2_000,
  wallet: 2_000,
  pix: 2_000,
  elsewhere: 5_000,
  open: 15_000,
};
const everyMs = told.unsettled === 'true' ? 5_000 : (firstMs[told.kind] ?? 0);
const longestMs = 30_000;

let shown = told.fingerprint;
let asking = null;
let timer = 0;
let failures = 0;
let mayAskAt = 0;
let seenSince = Date.now();

const askOnce = async () => {
  try {
    const { answer, retryMs } = await call('state', null, 10_000);
    mayAskAt = Date.now() + retryMs;
    if (!isState(answer)) throw new TypeError('not a state');
    if (failures > 0 && navigator.onLine) say();
    failures = 0;
    return answer;
  } catch {
    // No answer, or half of one: the page stays as it was last true.
    failures += 1;
    if (!navigator.onLine) say(told.offline);
    return null;
  }
};

/** One question to the server: its answer, or null. */
export const ask = () => {
  asking ??= askOnce().finally(() => {
    asking = null;
  });
  return asking;
};

/** Shows what the server says. Answers whether the page goes away: what it shows already is never loaded again. */
export const follow = (now) => {
  if (now.paid && told.kind !== 'paid') return finish(now);
  if (now.fingerprint === shown) return false;
  const next = new URL(now.next, window.location.href);
  if (next.origin !== window.location.origin) {
    leaveFor(next.href);
    return true;
  }
  if (now.kind !== 'open' || told.kind !== 'open') return showAnew(now.fingerprint);
  // Another try: the card fields stay, with what was typed.
  shown = now.fingerprint;
  showFailure(now.failure);
  return false;
};

/** What became of the last attempt, as the server would have written it into the page. */
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
  byId('pay-form').querySelector('h1').after(box);
  box.focus();
};

/** How long until the next look: seldom for what takes long, and more seldom while nobody answers. */
export const nextLookMs = () => {
  const age = Math.min(longestMs, Math.max(everyMs, (Date.now() - seenSince) / 30));
  return Math.max(mayAskAt - Date.now(), Math.min(longestMs, age * 2 ** Math.min(failures, 5)));
};

/** Looks now and then. `isBusy`: while the page is paying, it asks by itself. */
export const watch = (isBusy) => {
  const look = async () => {
    if (!document.hidden && !isBusy()) {
      const now = await ask();
      if (now && !isBusy() && follow(now)) return;
    }
    lookLater();
  };
  const lookLater = () => {
    clearTimeout(timer);
    if (everyMs > 0) timer = setTimeout(() => void look(), nextLookMs());
  };
  const lookNow = () => {
    seenSince = Date.now();
    if (Date.now() >= mayAskAt) void look();
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) lookNow();
  });
  window.addEventListener('online', lookNow);
  // The bank's page went somewhere else: the customer has answered.
  byId('challenge')?.addEventListener('load', lookNow);
  lookLater();
};
