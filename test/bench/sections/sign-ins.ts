import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Bench } from '../bench.ts';
import { type Drive, inParallel, openLoop } from '../drive.ts';
import { paysPerSecond, preparePays, withoutCosts } from './pays-beside.ts';

const AT_ONCE = 256;
const PREPARED_AT_ONCE = 16;
const CALL_MS = 30_000;
/** Longest wait after a refusal, in ms; the answer names the wait. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Sends wrong passwords from 256 concurrent browsers, each again as soon as it may, beside pays at a constant
 * rate, after the same pays alone. A password is hashed for each request that is not refused.
 */
export async function runSignIns(bench: Bench): Promise<void> {
  const { options, stack, meter, signal, add, logLine } = bench;
  const { burstPays: calls } = options.sizes;
  const step = { section: 'signIns', callers: null, sample: [] };
  const alone = await preparePays(bench, calls);
  add(
    await meter.measure({ ...step, name: `pays alone, ${paysPerSecond}/s` }, () =>
      openLoop(alone, { perSecond: paysPerSecond, calls, signal }),
    ),
  );
  logLine(`signIns: preparing ${calls} payments and ${AT_ONCE} browsers`);
  const beside = await preparePays(bench, calls);
  const [apiUrl = ''] = stack.description.apiUrls;
  const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  try {
    const browsers = await inParallel(AT_ONCE, PREPARED_AT_ONCE, () => openBrowser(agent, apiUrl));
    const ended = new AbortController();
    let signIns: Drive | undefined;
    const figures = await meter.measure(
      { ...step, name: `pays beside ${AT_ONCE} sign-ins at once` },
      async () => {
        const attack = signInUntil(ended.signal, browsers);
        const paid = await openLoop(beside, { perSecond: paysPerSecond, calls, signal });
        ended.abort();
        signIns = await attack;
        return paid;
      },
    );
    add(withoutCosts(figures));
    if (signIns) add(meter.timesOnly({ ...step, name: `sign-ins, ${AT_ONCE} browsers` }, signIns));
  } finally {
    await agent.destroy();
  }
}

/** Signs in repeatedly with each browser until it is ended. Returns the answers. */
async function signInUntil(ended: AbortSignal, browsers: readonly Browser[]): Promise<Drive> {
  const done: Drive['done'] = [];
  setMaxListeners(browsers.length + 1, ended);
  const startedAt = performance.now();
  const signIns = browsers.map(async (signIn) => {
    while (!ended.aborted) {
      const begunAt = performance.now();
      const { outcome, waitMs } = await signIn();
      done.push({ tookMs: performance.now() - begunAt, outcome });
      await sleep(waitMs, undefined, { signal: ended }).catch(() => undefined);
    }
  });
  await Promise.all(signIns);
  return { done, elapsedMs: performance.now() - startedAt };
}

type Browser = () => Promise<{ outcome: string; waitMs: number }>;

/** Returns a browser with an open sign-in page, whose call sends a wrong password. */
async function openBrowser(dispatcher: Agent, apiUrl: string): Promise<Browser> {
  const url = `${apiUrl}/dashboard/sign-in`;
  const page = await request(url, { dispatcher });
  const html = await page.body.text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1];
  const cookies = [page.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]);
  if (csrf === undefined) throw new Error(`the sign-in page has no form: ${page.statusCode}`);
  const body = new URLSearchParams({
    csrf,
    to: '',
    login: 'owner',
    password: 'not the password',
    code: '123456',
  });
  return async () => {
    const answer = await request(url, {
      ...{ method: 'POST', dispatcher, headersTimeout: CALL_MS, bodyTimeout: CALL_MS, body: body.toString() },
      headers: {
        ...{ 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        ...{ cookie: cookies.join('; '), origin: new URL(apiUrl).origin },
      },
    });
    await answer.body.dump();
    const { statusCode } = answer;
    const isRefused = statusCode === 429;
    return {
      outcome: statusCode === 303 ? 'ok' : String(statusCode),
      waitMs: isRefused ? Math.min(Number(answer.headers['retry-after']) * 1_000 || 0, LONGEST_WAIT_MS) : 0,
    };
  };
}
