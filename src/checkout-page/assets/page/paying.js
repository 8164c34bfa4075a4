import { call, isState } from './calls.js';
import { byId, pause, root, say, told } from './dom.js';
import { areFieldsReady, captureCard, loadFields, meetFields, unlockFields } from './fields.js';
import { ask, follow, nextLookMs } from './state.js';

/*
 * From Pay on. `ready`: the customer's turn; `fields`: Pay was pressed before the card fields are there; `capturing`: the vault takes
 * the card; `sending`: the attempt is on its way; `checking`: nobody told what became of it; `leaving`: the page goes on. Each but
 * the first ends by itself, and none ends without the server's word on what was paid.
 */
let phase = 'ready';
/** Counts phases: what was waited for in an earlier one is not waited for any more. */
let turn = 0;

const form = byId('pay-form');
const payLabel = byId('pay-label')?.textContent;

export const isBusy = () => phase !== 'ready';
/** From here on nothing may be changed: the card is on its way. */
const isLocked = () => phase !== 'ready' && phase !== 'fields';

const enter = (next, waitMs, whenOver) => {
  phase = next;
  turn += 1;
  const mine = turn;
  const button = byId('pay');
  if (isBusy()) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
  byId('pay-label').textContent =
    next === 'ready' ? payLabel : next === 'fields' ? told.loading : told.paying;
  byId('methods').disabled = isLocked();
  byId('methods').classList.toggle('locked', isLocked());
  // Nothing that leads away from a payment under way.
  root.classList.toggle('busy', isLocked());
  if (waitMs) {
    setTimeout(() => {
      if (mine === turn) whenOver();
    }, waitMs);
  }
};

const complain = (text) => {
  byId('problem').textContent = text;
  byId('problem').hidden = text === '';
};

/** The customer's turn again. */
const giveBack = (problem = '') => {
  stopTelling();
  unlockFields();
  enter('ready');
  complain(problem);
};

/* What is said meanwhile. */

let tellers = [];
const stopTelling = () => {
  for (const teller of tellers) clearTimeout(teller);
  tellers = [];
  say();
};
const tellProgress = (card) => {
  stopTelling();
  const first = card ? told.payingWith.replace('{card}', () => card) : told.payingOther;
  say(first);
  tellers = [
    setTimeout(() => say(first, told.slow), 8_000),
    setTimeout(() => say(first, told.slower), 30_000),
  ];
};

/* The way of one attempt. */

const requestPay = () => {
  if (isBusy()) return;
  const method = new FormData(form).get('method');
  complain(method ? '' : told.choose);
  if (!method) form.elements.namedItem('method')[0]?.focus();
  else if (method !== 'card') void send({ method }, null);
  else if (areFieldsReady()) capture();
  else {
    enter('fields');
    void loadFields();
  }
};

const capture = () => {
  // Longer than the fields give themselves: an answer that comes after that is an answer to nobody.
  enter('capturing', 20_000, () => void check());
  captureCard();
};

/** Sends the attempt. Without a clear answer the server is asked what became of it before another may be sent. */
const send = async (fields, card) => {
  enter('sending');
  tellProgress(card);
  try {
    const { status, answer } = await call('pay', fields, 40_000);
    if (isState(answer)) settle(answer, answer.problem);
    else if (status === 400 || status === 422) giveBack(told.notSent);
    else await check();
  } catch {
    await check();
  }
};

/** Nobody told what became of an attempt: the server is asked until it says. */
const check = async () => {
  enter('checking');
  // An attempt that is still on its way there is not known there yet.
  await pause(1_500);
  await askUntilTold(turn);
};

const askUntilTold = async (mine) => {
  if (mine !== turn) return;
  const now = await ask();
  if (mine !== turn) return;
  if (now) {
    settle(now, null);
    return;
  }
  await pause(nextLookMs());
  await askUntilTold(mine);
};

/** Goes where the server's word leads, or gives the button back. */
const settle = (now, problem) => {
  if (follow(now)) {
    enter('leaving', 10_000, () => void check());
    if (now.paid) offerLink(now.next);
  } else if (now.kind === 'open') {
    giveBack(now.failure && !problem ? '' : (problem ?? told.notSent));
  } else {
    // Loaded too often already: it is asked again in a while.
    enter('checking', 5_000, () => void check());
  }
};

/** A shop that is slow to answer is one click away. */
const offerLink = (url) => {
  const link = document.createElement('a');
  link.href = url;
  link.target = '_top';
  link.rel = 'noreferrer';
  link.append(told.back);
  say(told.going, link);
};

export const startPaying = () => {
  if (!form) return;
  // The browser's own bubbles would speak its language, not the page's.
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    requestPay();
  });
  form.addEventListener('change', () => {
    complain('');
    if (phase === 'fields') enter('ready');
  });
  meetFields({
    isLocked,
    ready: () => {
      if (phase === 'fields') capture();
    },
    trouble: () => {
      if (phase === 'fields') enter('ready');
    },
    pay: requestPay,
    token: (fields, card) => {
      if (phase === 'capturing') void send({ method: 'card', ...fields }, card);
    },
    error: (isShown) => {
      if (phase === 'capturing') giveBack(isShown ? '' : told.notSent);
    },
  });
};
