import { call, isState } from './calls.js';
import { byId, pageData, announceUnseen } from './dom.js';
import { applyState, fetchState } from './state.js';
import { clockTime, dayAndTime } from './times.js';

const copyCode = async (event) => {
  const code = byId('pix-code');
  const label = event.currentTarget.querySelector('span');
  code.select();
  try {
    await navigator.clipboard.writeText(code.value);
    label.textContent = byId('copy').dataset.copied;
    announceUnseen(byId('copy').dataset.copied);
  } catch {
    // The code stays selected so that it can be copied by hand.
  }
};

/** Cancels the open step. Enables the button again if the state did not change. */
const leaveStep = async (event) => {
  event.preventDefault();
  const button = event.currentTarget.querySelector('button');
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  let now = null;
  try {
    ({ answer: now } = await call('leave-step', {}, 40_000));
  } catch {
    // The outcome is unknown, so the state decides.
  }
  if (!isState(now)) now = await fetchState();
  if (!now || !applyState(now)) button.ariaDisabled = null;
};

export const startSteps = () => {
  byId('copy')?.addEventListener('click', (event) => void copyCode(event));
  byId('print')?.addEventListener('click', () => window.print());
  byId('other-way')?.addEventListener('submit', (event) => void leaveStep(event));
};

/** Shows times in the customer's time zone. */
export const showTimes = () => {
  for (const time of document.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    time.textContent =
      'day' in time.dataset
        ? dayAndTime(pageData.tag, date)
        : clockTime(pageData.tag, date, time.dataset.articles);
  }
};

export const startClock = () => {
  const bar = byId('deadline');
  if (!bar) return;
  const countdown = byId('countdown');
  const ends = Number(pageData.expires) + Date.now() - Number(pageData.now);
  let warned = Infinity;
  const tick = () => {
    const left = Math.max(0, Math.ceil((ends - Date.now()) / 1_000));
    if (left > 300) return;
    bar.classList.add('urgent');
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    countdown.textContent = countdown.dataset.text.replace('{time}', clock);
    const step = left === 0 ? 0 : left <= 60 ? 60 : 300;
    if (step >= warned) return;
    // The page was opened in the last minutes, so the exact time left is announced.
    const opening = warned === Infinity && left < 295;
    warned = step;
    if (step > 0)
      announceUnseen(
        opening ? countdown.textContent : step === 60 ? pageData.oneMinute : pageData.fiveMinutes,
      );
    else void fetchState().then((now) => now && applyState(now));
  };
  tick();
  setInterval(tick, 1_000);
};
