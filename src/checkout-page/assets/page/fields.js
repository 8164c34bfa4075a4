import { call, isState } from './calls.js';
import { byId, isText, pageData } from './dom.js';
import { applyState } from './state.js';

/*
 * The vault's card fields in their frame (docs/simulators.md, "Hosted fields"). State: `none`, `loading`,
 * `ready` once the frame has sent `ready`, or `trouble` if it did not do so within eight seconds.
 */

const waitMs = 8_000;
const brandNames = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  elo: 'Elo',
  hipercard: 'Hipercard',
};

const place = byId('card-fields');
/** The handlers of paying.js: `isLocked`, `ready`, `trouble`, `pay`, `token`, `error`. */
let on = {};
let state = 'none';
/** Counts the loads of the frame; answers to earlier loads are ignored. */
let round = 0;
let frame = null;
let vaultOrigin = '';
let frameKey = '';
let submitId = 0;
let renewals = 0;
/** Whether the fields hold a card that can be sent; the browser may have filled it in. */
let isCardTyped = false;

export const areFieldsReady = () => state === 'ready';
export const isCardThere = () => isCardTyped;

const postToFields = (type, more = {}) => {
  frame?.contentWindow?.postMessage({ source: 'cardvault-parent', v: 1, type, ...more }, vaultOrigin);
};

const showFields = (next) => {
  state = next;
  byId('card-loading').hidden = next !== 'loading';
  byId('card-trouble').hidden = next !== 'trouble';
  frame?.classList.toggle('ready', next === 'ready');
  if (next === 'ready') on.ready();
  if (next === 'trouble') on.trouble();
};

const addFrame = (answer) => {
  frame?.remove();
  isCardTyped = false;
  frame = document.createElement('iframe');
  frame.title = place.dataset.title;
  frame.referrerPolicy = 'no-referrer';
  vaultOrigin = new URL(answer.url).origin;
  frameKey = answer.frameKey;
  frame.src = answer.url;
  place.append(frame);
};

export const loadFields = async () => {
  if (!place || state === 'ready' || state === 'loading') return;
  round += 1;
  const mine = round;
  showFields('loading');
  setTimeout(() => {
    if (mine === round && state === 'loading') showFields('trouble');
  }, waitMs);
  try {
    // Longer than `waitMs`, because fields that arrive late are still used.
    const { status, answer } = await call('card-fields', {}, 25_000);
    if (mine !== round) return;
    if (status === 200 && isText(answer?.frameKey, 1, 4_096) && isText(answer.url, 1, 4_096)) {
      addFrame(answer);
    } else {
      // Another tab is paying, or the checkout is closed.
      showFields('trouble');
      if (isState(answer) && !on.isLocked()) applyState(answer);
    }
  } catch {
    if (mine === round) showFields('trouble');
  }
};

/** Loads the fields with a new key, at most twice. */
const renew = () => {
  renewals += 1;
  frame?.remove();
  frame = null;
  if (renewals > 2) {
    showFields('trouble');
    return;
  }
  showFields('none');
  void loadFields();
};

/** Asks the fields for the card; they answer with `token` or `error` and this id. */
export const captureCard = () => {
  submitId += 1;
  postToFields('submit', { id: submitId });
};

export const unlockFields = () => postToFields('unlock');

/**
 * Empties the security code, which is needed again after a decline; `all` empties every field for another
 * card.
 */
export const clearFields = (all) => postToFields('clear', { all });

export const focusFields = () => {
  frame?.focus();
  postToFields('focus');
};

const onFieldsMessage = ({ source, origin, data }) => {
  if (!frame || source !== frame.contentWindow || origin !== vaultOrigin) return;
  if (data?.source !== 'cardvault-frame' || data.v !== 1) return;
  if (data.type === 'ready') {
    const [accent, accentDark] = pageData.accent?.split('-') ?? [];
    const { theme, radius, font } = document.documentElement.dataset;
    postToFields('init', { frameKey, accent, accentDark, theme, radius, font });
    showFields('ready');
  } else if (data.type === 'resize' && data.height > 0 && data.height < 2_000) {
    frame.style.blockSize = `${Math.ceil(data.height)}px`;
  } else if (data.type === 'validity') {
    isCardTyped = data.valid === true;
  } else if (data.type === 'pay') {
    on.pay();
  } else if (data.type === 'token' && data.id === submitId) {
    onToken(data);
  } else if (data.type === 'error' && data.id === submitId) {
    if (data.code === 'access_over' || data.code === 'not_initialised') renew();
    // If the frame has the focus, focusing it again would take the focus from its invalid field.
    else if (document.activeElement !== frame) frame.focus();
    on.error(['invalid_fields', 'card_not_supported', 'vault_unavailable'].includes(data.code));
  }
};

const onToken = ({ token, reference, brand, last4 }) => {
  if (!isText(token, 16, 4_096) || !isText(reference, 1, 31)) {
    on.error(false);
    return;
  }
  const known = Object.hasOwn(brandNames, brand) && /^\d{4}$/.test(last4);
  on.token(
    { cardToken: token, captureReference: reference },
    known ? `${brandNames[brand]} ···· ${last4}` : null,
  );
};

export const connectFields = (handlers) => {
  on = handlers;
  if (!place) return;
  window.addEventListener('message', onFieldsMessage);
  byId('card-trouble').classList.remove('late');
  byId('card-trouble').hidden = true;
  byId('card-again').hidden = false;
  const choice = byId('method-card');
  const loadIfChosen = () => {
    if (choice.checked) void loadFields();
  };
  byId('pay-form').addEventListener('change', loadIfChosen);
  byId('card-again').addEventListener('click', loadIfChosen);
  loadIfChosen();
};
