import { call, isState } from './calls.js';
import { byId, told, whisper } from './dom.js';
import { ask, follow } from './state.js';

/* What the customer does in the other states: copy the pix code, print, give up a step. */

const copyCode = async (event) => {
  const code = byId('pix-code');
  const label = event.currentTarget.querySelector('span');
  code.select();
  try {
    await navigator.clipboard.writeText(code.value);
    label.textContent = byId('copy').dataset.copied;
    whisper(byId('copy').dataset.copied);
  } catch {
    // It stays selected: the customer's own copy command works.
  }
};

/** Gives up the open step, once; when nobody tells that it was, the button comes back. */
const leaveStep = async (event) => {
  event.preventDefault();
  const button = event.currentTarget.querySelector('button');
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  let now = null;
  try {
    ({ answer: now } = await call('leave-step', {}, 40_000));
  } catch {
    // No answer proves nothing.
  }
  if (!isState(now)) now = await ask();
  if (!now || !follow(now)) button.ariaDisabled = null;
};

export const startSteps = () => {
  byId('copy')?.addEventListener('click', (event) => void copyCode(event));
  byId('print')?.addEventListener('click', () => window.print());
  byId('other-way')?.addEventListener('submit', (event) => void leaveStep(event));
};

/* The deadline, by the server's clock: quiet until five minutes are left. */

export const showTimes = () => {
  for (const time of document.querySelectorAll('time')) {
    const day = 'day' in time.dataset ? { day: 'numeric', month: 'short', year: 'numeric' } : {};
    time.textContent = new Intl.DateTimeFormat(told.tag, {
      ...day,
      // As the server writes it: format.ts.
      hour: told.tag === 'pt-BR' ? '2-digit' : 'numeric',
      minute: '2-digit',
    }).format(new Date(time.dateTime));
  }
};

export const startClock = () => {
  const bar = byId('deadline');
  if (!bar) return;
  const countdown = byId('countdown');
  const ends = Number(told.expires) + Date.now() - Number(told.now);
  let warned = Infinity;
  const tick = () => {
    const left = Math.max(0, Math.ceil((ends - Date.now()) / 1_000));
    if (left > 300) return;
    bar.classList.add('urgent');
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    countdown.textContent = countdown.dataset.text.replace('{time}', clock);
    const step = left === 0 ? 0 : left <= 60 ? 60 : 300;
    if (step >= warned) return;
    // Opened in the last minutes, the page says how many there are.
    const opening = warned === Infinity && left < 295;
    warned = step;
    if (step > 0) whisper(opening ? countdown.textContent : step === 60 ? told.oneMinute : told.fiveMinutes);
    else void ask().then((now) => now && follow(now));
  };
  tick();
  setInterval(tick, 1_000);
};
