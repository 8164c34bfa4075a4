import { call, isState } from './calls.js';
import { byId, isText, told } from './dom.js';
import { follow } from './state.js';

/*
 * The vault's card fields (docs/simulators.md, "Hosted fields"). They are there when they say so themselves: `none`, `loading`,
 * `ready`, or `trouble` after eight seconds without a word.
 */

const waitMs = 8_000;
const brandNames = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' };

const place = byId('card-fields');
/** What the paying part wants to hear: `ready`, `trouble`, `pay`, `token`, `error`. */
let on = {};
let state = 'none';
/** Which load this is: what an earlier one still says is not heard. */
let round = 0;
let frame = null;
let vaultOrigin = '';
let frameKey = '';
let submitId = 0;
let renewals = 0;

export const areFieldsReady = () => state === 'ready';

const tellFields = (type, more = {}) => {
  frame?.contentWindow?.postMessage({ source: 'cardvault-parent', v: 1, type, ...more }, vaultOrigin);
};

const show = (next) => {
  state = next;
  byId('card-loading').hidden = next !== 'loading';
  byId('card-trouble').hidden = next !== 'trouble';
  frame?.classList.toggle('ready', next === 'ready');
  if (next === 'ready') on.ready();
  if (next === 'trouble') on.trouble();
};

const putFrame = (answer) => {
  frame?.remove();
  frame = document.createElement('iframe');
  frame.title = place.dataset.title;
  frame.referrerPolicy = 'no-referrer';
  vaultOrigin = new URL(answer.url).origin;
  frameKey = answer.frameKey;
  frame.src = answer.url;
  place.append(frame);
};

/** Loads the fields unless they are there or on their way. */
export const loadFields = async () => {
  if (!place || state === 'ready' || state === 'loading') return;
  round += 1;
  const mine = round;
  show('loading');
  setTimeout(() => {
    if (mine === round && state === 'loading') show('trouble');
  }, waitMs);
  try {
    // Longer than the customer is told to wait: fields that come late are welcome.
    const { status, answer } = await call('card-fields', {}, 25_000);
    if (mine !== round) return;
    if (status === 200 && isText(answer?.frameKey, 1, 4_096) && isText(answer.url, 1, 4_096)) {
      putFrame(answer);
    } else {
      // Somebody else pays, or the checkout is over: then the page looks different now.
      show('trouble');
      if (isState(answer) && !on.isLocked()) follow(answer);
    }
  } catch {
    if (mine === round) show('trouble');
  }
};

/** The key in the frame is no longer good: another one, but not without end. */
const renew = () => {
  renewals += 1;
  frame?.remove();
  frame = null;
  if (renewals > 2) {
    show('trouble');
    return;
  }
  show('none');
  void loadFields();
};

/** Asks the fields to check and capture the card; they answer with `token` or `error` to this very request. */
export const captureCard = () => {
  submitId += 1;
  tellFields('submit', { id: submitId });
};

/** The fields may be changed again, with what was typed in them. */
export const unlockFields = () => tellFields('unlock');

const hearFields = ({ source, origin, data }) => {
  if (!frame || source !== frame.contentWindow || origin !== vaultOrigin) return;
  if (data?.source !== 'cardvault-frame' || data.v !== 1) return;
  if (data.type === 'ready') {
    const [accent, accentDark] = told.accent?.split('-') ?? [];
    tellFields('init', { frameKey, accent, accentDark, theme: document.documentElement.dataset.theme });
    show('ready');
  } else if (data.type === 'resize' && data.height > 0 && data.height < 2_000) {
    frame.style.blockSize = `${Math.ceil(data.height)}px`;
  } else if (data.type === 'pay') {
    on.pay();
  } else if (data.type === 'token' && data.id === submitId) {
    hearToken(data);
  } else if (data.type === 'error' && data.id === submitId) {
    if (data.code === 'access_over' || data.code === 'not_initialised') renew();
    // To a frame that has the focus, focus() means: nowhere in it. It is at the field that is wrong.
    else if (document.activeElement !== frame) frame.focus();
    on.error(data.code === 'invalid_fields' || data.code === 'card_not_supported');
  }
};

/** What is no token and no card is as good as no answer. */
const hearToken = ({ token, reference, brand, last4 }) => {
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

/** Listens for the fields, and loads them whenever a card is chosen. */
export const meetFields = (handlers) => {
  on = handlers;
  if (!place) return;
  window.addEventListener('message', hearFields);
  const choice = byId('method-card');
  const wanted = () => {
    if (choice.checked) void loadFields();
  };
  byId('pay-form').addEventListener('change', wanted);
  byId('card-again').addEventListener('click', wanted);
  wanted();
};
