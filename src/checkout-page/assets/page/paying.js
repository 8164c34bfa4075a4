import { call, isState } from './calls.js';
import { byId, pause, root, announce, pageData } from './dom.js';
import {
  areFieldsReady,
  captureCard,
  clearFields,
  connectFields,
  focusFields,
  isCardThere,
  loadFields,
  unlockFields,
} from './fields.js';
import { fetchState, applyState, isOffline, nextPollMs } from './state.js';
import { connectWallet, lockWallet } from './wallet.js';

/*
 * `ready`: the customer can act. `fields`: Pay waits for the card fields. `capturing`: the vault captures the
 * card. `sending`: the attempt is sent. `checking`: its outcome is unknown. `leaving`: the page is being
 * left. Every phase but the first ends without the customer; from `sending` on only the server's state ends
 * it.
 */
let phase = 'ready';
/** Counts the phases; timers and answers of earlier phases are ignored. */
let turn = 0;

const form = byId('pay-form');
const payLabel = byId('pay-label');
/** The labels of the button by method. Without this script the style shows the label of the chosen method. */
const labels = new Map(
  [...(payLabel?.children ?? [])].map((label) => [label.dataset.method, label.textContent]),
);

const showLabel = () => {
  // If a wallet is the only method, it has its own button.
  if (!payLabel) return;
  const method = form.elements.namedItem('method').value;
  const label = labels.get(method) ?? labels.values().next().value;
  payLabel.textContent = phase === 'ready' ? label : phase === 'fields' ? pageData.loading : pageData.paying;
};

export const isBusy = () => phase !== 'ready';
const isLocked = () => phase !== 'ready' && phase !== 'fields';

const enterPhase = (next, waitMs, whenOver) => {
  phase = next;
  turn += 1;
  const mine = turn;
  const button = byId('pay');
  if (isBusy()) button?.setAttribute('aria-disabled', 'true');
  else button?.removeAttribute('aria-disabled');
  showLabel();
  lockWallet(isLocked());
  for (const part of [byId('methods'), byId('wallet')]) part?.classList.toggle('locked', isLocked());
  if (byId('methods')) byId('methods').disabled = isLocked();
  // Hides the links to other pages.
  root.classList.toggle('busy', isLocked());
  if (waitMs) {
    setTimeout(() => {
      if (mine === turn) whenOver();
    }, waitMs);
  }
};

/** Only one box is shown: a new problem replaces the failure of the last attempt. */
const showProblem = (text) => {
  byId('problem').textContent = text;
  byId('problem').hidden = text === '';
  if (text) byId('status')?.remove();
};

const backToReady = (problem = '') => {
  stopProgress();
  unlockFields();
  enterPhase('ready');
  showProblem(problem);
};

let progressTimers = [];
const stopProgress = () => {
  for (const timer of progressTimers) clearTimeout(timer);
  progressTimers = [];
  announce();
};
const showProgress = (card) => {
  stopProgress();
  const first = card ? pageData.payingWith.replace('{card}', () => card) : pageData.payingOther;
  announce(first);
  progressTimers = [
    setTimeout(() => announce(first, pageData.slow), 8_000),
    setTimeout(() => announce(first, pageData.slower), 30_000),
  ];
};

/**
 * Returns whether nothing can be sent because the browser is offline. This was announced already (state.js).
 */
const staysOffline = () => {
  if (!isOffline()) return false;
  byId('offline').scrollIntoView({ block: 'nearest' });
  // Checks whether the browser is still offline.
  void fetchState();
  return true;
};

/** Pays with the payment method that a wallet made. It is ignored while another attempt runs. */
const payByWallet = (walletToken) => {
  if (isLocked() || staysOffline()) return;
  byId('status')?.remove();
  showProblem('');
  void send({ method: 'wallet', walletToken }, null);
};

const requestPay = () => {
  if (isBusy() || staysOffline()) return;
  byId('status')?.remove();
  const method = new FormData(form).get('method');
  showProblem(method ? '' : pageData.choose);
  if (!method) form.elements.namedItem('method')[0]?.focus();
  else if (method !== 'card') void send({ method }, null);
  else if (areFieldsReady()) capture();
  else {
    enterPhase('fields');
    void loadFields();
  }
};

/** Empties the fields for another card. */
const takeAnotherCard = () => {
  focusFields();
  clearFields(true);
};

const capture = () => {
  // Longer than the timeout of the fields.
  enterPhase('capturing', 20_000, () => void checkOutcome());
  captureCard();
};

/** Sends an attempt. After an unclear answer the outcome is polled before another attempt may be sent. */
const send = async (fields, card) => {
  enterPhase('sending');
  showProgress(card);
  try {
    const { status, answer } = await call('pay', fields, 40_000);
    if (isState(answer)) handleState(answer, answer.problem);
    else if (status === 400 || status === 422) backToReady(pageData.notSent);
    else await checkOutcome();
  } catch {
    await checkOutcome();
  }
};

const checkOutcome = async () => {
  enterPhase('checking');
  // The request may still be in flight.
  await pause(1_500);
  await pollUntilKnown(turn);
};

const pollUntilKnown = async (mine) => {
  if (mine !== turn) return;
  const now = await fetchState();
  if (mine !== turn) return;
  if (now) {
    handleState(now, null);
    return;
  }
  await pause(nextPollMs());
  await pollUntilKnown(mine);
};

const handleState = (now, problem) => {
  if (applyState(now)) {
    enterPhase('leaving', 10_000, () => void checkOutcome());
    if (now.paid) showShopLink(now.next);
  } else if (now.kind === 'open') {
    const isDeclined = now.failure && !problem;
    backToReady(isDeclined ? '' : (problem ?? pageData.notSent));
    if (isDeclined) clearFields(false);
  } else {
    // The page reloaded too often, so this tries again later.
    enterPhase('checking', 5_000, () => void checkOutcome());
  }
};

/** Shows a link to a shop that is slow to load. */
const showShopLink = (url) => {
  const link = document.createElement('a');
  link.href = url;
  link.target = '_top';
  link.rel = 'noreferrer';
  link.append(pageData.back);
  announce(pageData.going, link);
};

export const startPaying = () => {
  if (!form) return;
  // Turns off the browser's own messages, which would be in its language rather than the page's.
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    requestPay();
  });
  // The button inside the failure message of an attempt (state.js).
  form.addEventListener('click', ({ target }) => {
    if (target.id !== 'another-card' || isBusy()) return;
    byId('status').remove();
    takeAnotherCard();
  });
  form.addEventListener('change', () => {
    showProblem('');
    if (phase === 'fields') enterPhase('ready');
    showLabel();
  });
  showLabel();
  connectWallet({
    token: payByWallet,
    trouble: () => {
      if (!isLocked()) showProblem(pageData.notSent);
    },
  });
  connectFields({
    isLocked,
    ready: () => {
      if (phase !== 'fields') return;
      if (isCardThere()) {
        capture();
        return;
      }
      // The customer could not type yet, so the page asks for the card instead of showing what is missing.
      enterPhase('ready');
      announce(pageData.enterCard);
      focusFields();
    },
    trouble: () => {
      if (phase === 'fields') enterPhase('ready');
    },
    pay: requestPay,
    token: (fields, card) => {
      if (phase === 'capturing') void send({ method: 'card', ...fields }, card);
    },
    error: (isShown) => {
      if (phase === 'capturing') backToReady(isShown ? '' : pageData.notSent);
    },
  });
};
