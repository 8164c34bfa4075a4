// The checkout page's only script, served as it is (docs/checkout.md). The server knows the state; this file frames the vault's
// card fields, keeps the page from being sent twice, asks the server what changed and talks to the shop that embeds the page.
const root = document.getElementById('checkout');
const { kind, fingerprint, path, locale, paymentId, formToken } = root.dataset;
const byId = (id) => document.getElementById(id);
const framed = window.parent !== window;

/** Speaks through the page's one polite live region. */
const say = (text) => {
  byId('live').textContent = text;
};

/* The shop that embeds the page. */

const frameOrigins = root.dataset.frameOrigins.split(' ').filter(Boolean);
/** The embedding site: told by the browser, or by its own first message; always one the payment allows. */
let shopOrigin = framed
  ? [window.location.ancestorOrigins?.[0], frameOrigins.length === 1 ? frameOrigins[0] : undefined].find(
      (origin) => frameOrigins.includes(origin),
    )
  : undefined;
/** Whether the shop answered: only then may it be trusted to lead the customer on. */
let shopListens = false;

const tellShop = (type, more = {}) => {
  if (!framed || !shopOrigin) return;
  window.parent.postMessage({ source: 'card-payments-checkout', v: 1, type, paymentId, ...more }, shopOrigin);
};

const tellState = () => {
  tellShop('ready', { version: 1 });
  tellShop('state', { state: kind });
  if (kind === 'paid') tellShop('complete', { url: root.dataset.successUrl });
  if (kind === 'closed') tellShop('closed', {});
  if (kind === 'challenge' || kind === 'wallet') tellShop('action_required', {});
};

const hearShop = (event) => {
  if (!framed || event.source !== window.parent || !frameOrigins.includes(event.origin)) return;
  const message = event.data;
  if (message?.source !== 'card-payments-embed' || message.v !== 1 || message.type !== 'hello') return;
  const first = !shopListens;
  shopOrigin = event.origin;
  shopListens = true;
  if (first) tellState();
  tellHeight();
};

const tellHeight = () => {
  // Of the content: a page that is as high as its frame would never become smaller again.
  tellShop('resize', { height: Math.ceil(root.scrollHeight) });
};

/* Going on. */

/** Shows an address of this page, or leaves; the same address is loaded anew, because its state changed. */
const go = (url) => {
  const target = new URL(url, window.location.href);
  const here = window.location;
  if (target.origin === here.origin && target.pathname === here.pathname && target.search === here.search) {
    here.hash = target.hash;
    here.reload();
  } else if (target.origin === here.origin) {
    here.replace(target.href);
  } else if (shopListens) {
    // Wallets are rarely let into a frame: the shop's window goes there, and comes back to this payment.
    tellShop('redirect', { url: target.href });
  } else {
    here.assign(target.href);
  }
};

const pagePath = `${path}?lang=${locale}`;

/** The payment is made: to the shop, which in a frame is told instead. */
const finish = (url) => {
  if (framed) go(`${pagePath}#status`);
  else window.location.replace(url);
};

const follow = ({ next, paid }) => {
  if (paid) finish(next);
  else go(next);
};

/* What changed meanwhile. */

let asking = false;
let timer = 0;
let failures = 0;
const pollMs = {
  processing: 1_000,
  challenge: 2_000,
  wallet: 2_000,
  pix: 2_000,
  elsewhere: 5_000,
  open: 15_000,
}[kind];

/** One question to the server; answers whether the page is going away. */
const ask = async () => {
  if (asking) return false;
  asking = true;
  try {
    const response = await fetch(`${path}/state?lang=${locale}`, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok) throw new Error(String(response.status));
    const now = await response.json();
    if (failures > 0) say('');
    failures = 0;
    if (now.fingerprint === fingerprint) return false;
    follow(now);
    return true;
  } catch {
    failures += 1;
    if (!navigator.onLine) say(root.dataset.offline);
    return false;
  } finally {
    asking = false;
  }
};

const askLater = () => {
  const every = root.dataset.unsettled === 'true' ? 5_000 : pollMs;
  if (!every) return;
  clearTimeout(timer);
  timer = setTimeout(() => void askNow(), Math.min(30_000, every * 2 ** Math.min(failures, 4)));
};

const askNow = async () => {
  if (!document.hidden && !sending && (await ask())) return;
  askLater();
};

/* Paying. */

const form = byId('pay-form');
const payButton = form?.querySelector('[type="submit"]');
const payLabel = payButton?.textContent;
let sending = false;

const setSending = (now) => {
  sending = now;
  if (now) payButton.setAttribute('aria-disabled', 'true');
  else payButton.removeAttribute('aria-disabled');
  payButton.textContent = now ? payButton.dataset.busy : payLabel;
  if (now) complain('');
};

const complain = (text) => {
  const problem = byId('problem');
  problem.textContent = text;
  problem.hidden = text === '';
};

/** Sends the attempt. Without a clear answer the server is asked what became of it before another may be sent. */
const send = async (fields) => {
  let answer = null;
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ form: formToken, ...fields }),
      redirect: 'error',
      signal: AbortSignal.timeout(40_000),
    });
    answer = await response.json();
  } catch {
    // No answer proves nothing.
  }
  if (answer?.next) {
    follow(answer);
  } else if (!(await ask())) {
    setSending(false);
    complain(root.dataset.notSent);
  }
};

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  if (sending) return;
  const method = new FormData(form).get('method');
  if (method === 'card') {
    if (!card) return;
    setSending(true);
    tellCard({ type: 'submit' });
  } else {
    setSending(true);
    void send({ method });
  }
});

/* The vault's card fields. */

const fields = byId('card-fields');
/** `{frame, origin, key}` once the vault's page is there. */
let card = null;
let cardLoading = false;

const tellCard = (message) => {
  card.frame.contentWindow.postMessage({ source: 'cardvault-parent', v: 1, ...message }, card.origin);
};

const showCardState = (state) => {
  byId('card-loading').hidden = state !== 'loading';
  byId('card-trouble').hidden = state !== 'trouble';
  // Room is kept for the frame until it is there, and none where it will not come.
  fields.style.minBlockSize = state === 'loading' ? '' : 0;
};

const loadCard = async () => {
  if (card || cardLoading) return;
  cardLoading = true;
  showCardState('loading');
  try {
    const response = await fetch(`${path}/card-fields?lang=${locale}`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ form: formToken }),
      redirect: 'error',
      signal: AbortSignal.timeout(25_000),
    });
    const answer = await response.json();
    // Paid meanwhile with another method: that answer leads on.
    if (sending) return;
    // Somebody else pays, or the checkout is over: the page looks different now.
    if (response.status === 409 || response.status === 410) {
      follow(answer);
      return;
    }
    if (!response.ok) throw new Error(String(response.status));
    const frame = document.createElement('iframe');
    frame.title = fields.dataset.title;
    frame.referrerPolicy = 'no-referrer';
    frame.src = answer.url;
    card = { frame, origin: new URL(answer.url).origin, key: answer.frameKey };
    fields.append(frame);
  } catch {
    showCardState('trouble');
  } finally {
    cardLoading = false;
  }
};

const hearCard = (event) => {
  if (!card || event.source !== card.frame.contentWindow || event.origin !== card.origin) return;
  const message = event.data;
  if (message?.source !== 'cardvault-frame' || message.v !== 1) return;
  if (message.type === 'ready') {
    showCardState('shown');
    tellCard({ type: 'init', frameKey: card.key, locale });
  } else if (message.type === 'resize' && message.height > 0 && message.height < 2_000) {
    card.frame.style.blockSize = `${Math.ceil(message.height)}px`;
    tellHeight();
  } else if (message.type === 'token' && sending) {
    void send({ method: 'card', cardToken: message.token, captureReference: message.reference });
  } else if (message.type === 'error') {
    // The frame itself says what is wrong, at the field.
    setSending(false);
    if (message.code === 'access_over') void ask();
  }
};

window.addEventListener('message', hearCard);
window.addEventListener('message', hearShop);

if (fields) {
  const choice = byId('method-card');
  const wanted = () => {
    if (choice.checked) void loadCard();
  };
  form.addEventListener('change', wanted);
  byId('card-again').addEventListener('click', wanted);
  wanted();
}

/* Steps at the bank, the wallet and pix. */

// The bank's page went somewhere else: the customer has answered.
byId('challenge')?.addEventListener('load', () => void ask());

for (const element of document.querySelectorAll('button.needs-script')) element.hidden = false;

const copyCode = async () => {
  const code = byId('pix-code');
  code.select();
  try {
    await navigator.clipboard.writeText(code.value);
    byId('copy').textContent = byId('copy').dataset.copied;
    say(byId('copy').dataset.copied);
  } catch {
    // It stays selected: the customer's own copy command works.
  }
};
byId('copy')?.addEventListener('click', () => void copyCode());

for (const other of document.querySelectorAll('form.other-way')) {
  let left = false;
  other.addEventListener('submit', (event) => {
    if (left) event.preventDefault();
    left = true;
  });
}

for (const cancel of document.querySelectorAll('#cancel')) {
  cancel.addEventListener('click', (event) => {
    if (!shopListens) return;
    event.preventDefault();
    tellShop('cancel', { url: cancel.href });
  });
}

/* The deadline, by the server's clock. */

const expiresAt = Number(root.dataset.expires);
const clockAhead = Date.now() - Number(root.dataset.now);

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(time.dateTime));
}

const countdown = byId('countdown');
const warnings = [
  [60, root.dataset.oneMinute],
  [300, root.dataset.fiveMinutes],
];
let warned = Infinity;
let ended = false;

const tick = () => {
  const left = Math.ceil((expiresAt - (Date.now() - clockAhead)) / 1_000);
  const shown = Math.max(0, left);
  countdown.textContent = `(${Math.floor(shown / 60)}:${String(shown % 60).padStart(2, '0')})`;
  const due = warnings.find(([seconds]) => left <= seconds);
  if (due && left > 0 && due[0] < warned) {
    [warned] = due;
    say(due[1]);
  }
  if (left <= 0 && !ended) {
    ended = true;
    void ask();
  }
};
if (countdown) {
  tick();
  setInterval(tick, 1_000);
}

/* Coming back to the page. */

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !sending) void ask();
});
window.addEventListener('online', () => void ask());
// Kept by the browser as it was left: it may show a state that is long over.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload();
});

// The payment became paid while this page was on its way here: a page opened by its plain link stays.
if (kind === 'paid' && window.location.hash === '#status' && !framed) {
  window.location.replace(root.dataset.successUrl);
}

if (framed) {
  new ResizeObserver(tellHeight).observe(root);
  tellState();
}
askLater();
