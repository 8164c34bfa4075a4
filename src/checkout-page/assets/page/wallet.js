import { byId, isText } from './dom.js';

/*
 * The buttons of Apple Pay and Google Pay in their frame, which has an origin of its own. The frame answers
 * with `ready`, or with `none` if this browser has no wallet. After eight seconds without an answer it is
 * removed.
 */

const walletMs = 8_000;
const wallet = byId('wallet');

/** Without a wallet the page looks as if none was offered. If it is the only method, the page shows that. */
const showNoWallet = (frame) => {
  frame.remove();
  wallet.hidden = !byId('wallet-none');
  if (byId('wallet-none')) byId('wallet-none').hidden = false;
};

/** `token` receives the payment method that a wallet made; `trouble` is called if it made none. */
export const connectWallet = (on) => {
  if (!wallet) return;
  const frame = document.createElement('iframe');
  const { url, title } = wallet.dataset;
  const { origin } = new URL(url);
  let isHere = false;
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'payment';
  frame.src = url;
  const timer = setTimeout(() => showNoWallet(frame), walletMs);
  window.addEventListener('message', ({ source, origin: from, data }) => {
    if (source !== frame.contentWindow || from !== origin) return;
    if (data?.source !== 'wallet-frame' || data.v !== 1) return;
    if (data.type === 'ready' && !isHere) {
      isHere = true;
      clearTimeout(timer);
      wallet.classList.add('ready');
    } else if (data.type === 'none') {
      clearTimeout(timer);
      showNoWallet(frame);
    } else if (data.type === 'resize' && data.height >= 40 && data.height < 400) {
      frame.style.blockSize = `${Math.ceil(data.height)}px`;
    } else if (data.type === 'token' && isText(data.token, 8, 300)) {
      on.token(data.token);
    } else if (data.type === 'trouble') {
      on.trouble();
    }
  });
  byId('wallet-frame').append(frame);
};

/** The wallets' buttons cannot be pressed while an attempt runs. */
export const lockWallet = (isLocked) => {
  if (wallet) wallet.inert = isLocked;
};
