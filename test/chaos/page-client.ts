import { z } from 'zod';
import type { Random } from '../support/harness/random.ts';
import type { ApiClient } from './api-client.ts';
import { type CapturedCard, approveAction, browse, press, sendCard } from './customer.ts';
import { type Call, type Outcome, outcomeOf } from './history.ts';
import type { ClientPlan } from './plan.ts';

/** The most actions on one page: pays, steps and steps that are left. */
const maxActions = 12;
const maxLoads = 30;

/** The state that every answer gives the page's script. */
const shownState = z.object({ kind: z.string(), next: z.string() });
const shownFields = z.object({ url: z.string(), frameKey: z.string() });

/** Makes the token of a wallet in the customer's browser; null when the wallet made none. */
type MakeWalletToken = () => Promise<string | null>;

/** The states in which the customer has a step to take. */
const steps = ['challenge', 'wallet', 'pix'];

/**
 * Plays a customer on the hosted page, with the requests that the page's script sends: loads it, pays by
 * card, wallet or Pix, takes or leaves the step, and polls. Sometimes the customer pays twice at once, or
 * closes the page for good. `makeWalletToken` makes the token of a wallet's button, with which they pay.
 */
export async function payOnPage(
  client: ApiClient,
  plan: ClientPlan,
  random: Random,
  checkoutUrl: string,
  makeWalletToken: MakeWalletToken | null = null,
): Promise<void> {
  const page = new CheckoutPage(client, plan, random, checkoutUrl, makeWalletToken);
  for (let actions = 0; actions < maxActions && !client.isOver; actions += 1) {
    if (random.chance(0.05) || !(await page.load())) return;
    const kind = await page.untilAtRest();
    if (kind === 'open') await page.pay();
    else if (kind !== null && steps.includes(kind)) await page.takeStep(kind);
    else return;
    await client.pause(50, 400);
  }
}

class CheckoutPage {
  readonly #client: ApiClient;
  readonly #plan: ClientPlan;
  readonly #random: Random;
  readonly #url: string;
  readonly #makeWalletToken: MakeWalletToken | null;
  #html = '';
  /** The card that the vault's frame captured; a rejected one is captured again. */
  #card: CapturedCard | null = null;

  constructor(
    client: ApiClient,
    plan: ClientPlan,
    random: Random,
    url: string,
    makeWalletToken: MakeWalletToken | null,
  ) {
    this.#client = client;
    this.#plan = plan;
    this.#random = random;
    this.#url = url;
    this.#makeWalletToken = makeWalletToken;
  }

  /** Loads the page, again after no answer; false when the time is over. */
  async load(): Promise<boolean> {
    const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    for (let loads = 0; loads < maxLoads && !this.#client.isOver; loads += 1) {
      try {
        const response = await browse(this.#url, { headers });
        this.#html = await response.text();
        if (response.status === 200) return true;
      } catch {
        // There was no answer, and the customer reloads.
      }
      await this.#client.pause(300, 900);
    }
    return false;
  }

  /** Polls until nothing is processed; returns what the page shows, null when the time is over. */
  async untilAtRest(): Promise<string | null> {
    while (!this.#client.isOver) {
      const kind = kindOf(await this.#send('page', 'state'));
      if (kind !== null && kind !== 'processing') return kind;
      await this.#client.pause(300, 1_000);
    }
    return null;
  }

  async pay(): Promise<void> {
    if (this.#makeWalletToken !== null) {
      const walletToken = await this.#makeWalletToken();
      if (walletToken !== null) await this.#send('page', 'pay', { method: 'wallet', walletToken });
      return;
    }
    const offered = [...this.#html.matchAll(/name="method" value="(\w+)"/g)].map(([, name = '']) => name);
    const method = this.#random.chance(0.6) ? 'card' : this.#random.pick(['card', ...offered]);
    const fields = method === 'card' ? await this.#capture() : {};
    if (fields === null) return;
    const payOnce = (): Promise<Call> => this.#send('page', 'pay', { method, ...fields });
    const isTwice = this.#random.chance(0.2);
    const answers = await Promise.all(isTwice ? [payOnce(), payOnce()] : [payOnce()]);
    if (answers.some(({ code }) => code === 'card_token_rejected')) this.#card = null;
    // After an unclear answer the outcome is polled before another attempt is sent.
    if (answers.some(({ result }) => result === 'unknown')) await this.#client.pause(1_000, 2_000);
  }

  /** Takes the step that the page shows, or leaves it to pay in another way. */
  async takeStep(kind: string): Promise<void> {
    if (this.#random.chance(0.15)) {
      await this.#send('page', 'leave-step', {});
      return;
    }
    // The page reloads for the step.
    if (!(await this.load())) return;
    const comesBack = (): boolean => this.#random.chance(this.#plan.comesBack);
    try {
      if (kind === 'challenge') {
        const link = this.#find(/href="(\/a\/[^"]+)"/);
        if (link) await approveAction(new URL(link, this.#url).href, comesBack, async () => undefined);
        return;
      }
      const link = this.#find(
        kind === 'pix' ? /href="([^"]+\/pix\/[^"]+)"/ : /href="([^"]+\/wallet\/[^"]+)"/,
      );
      const button = kind === 'pix' ? 'pix-settle' : this.#random.pick(['wallet-approve', 'wallet-decline']);
      const back = link && (await press(link, button));
      if (back && kind === 'wallet' && comesBack()) await browse(back);
    } catch {
      // The network's page did not answer. The next round opens it again.
    }
  }

  /** Captures the card in the vault's frame, once. Returns the form's fields; null when there is none. */
  async #capture(): Promise<{ cardToken: string; captureReference: string } | null> {
    if (this.#card) return { ...this.#card };
    const { result, data } = await this.#send('fields', 'card-fields', {});
    if (result !== 'ok' || !data?.capture) return null;
    const frame = data.capture;
    try {
      const html = await (await browse(frame.url)).text();
      const read = (name: string): string =>
        plain(new RegExp(`data-${name}="([^"]*)"`).exec(html)?.[1] ?? '');
      const url = new URL(read('capture-url'), frame.url).href;
      const target = { ...frame, url, keyHeader: read('key-header') };
      this.#card = await this.#client.observed('card', () =>
        sendCard(target, this.#plan.card, () => this.#client.isOver),
      );
    } catch {
      // The frame did not load.
    }
    return this.#card && { ...this.#card };
  }

  /** Sends a request of the page's script; `fields`: as a form. Never throws. */
  #send(op: string, verb: string, fields?: Record<string, string>): Promise<Call> {
    const form = this.#find(/data-form-token="([^"]*)"/);
    const address = `${this.#find(/data-path="([^"]*)"/)}/${verb}?${this.#find(/data-query="([^"]*)"/)}`;
    const { href, origin } = new URL(address, this.#url);
    return this.#client.visited(op, async () => {
      const response = await browse(href, {
        method: fields ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          'sec-fetch-site': 'same-origin',
          ...(fields && { origin, 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(fields && { body: new URLSearchParams({ form, ...fields }).toString() }),
      });
      return pageOutcome(response.status, response.headers.get('retry-after'), await response.text());
    });
  }

  #find(pattern: RegExp): string {
    return plain(pattern.exec(this.#html)?.[1] ?? '');
  }
}

const plain = (attribute: string): string => attribute.replaceAll('&amp;', '&');

/** Returns the state in an answer, also in that to a refused action; null when it has none. */
const kindOf = ({ text }: Call): string | null => {
  try {
    return shownState.safeParse(JSON.parse(text)).data?.kind ?? null;
  } catch {
    return null;
  }
};

/** Returns the outcome of a request of the page. A step of any method is shown as `step`. */
function pageOutcome(status: number, retryAfter: string | null, text: string): Outcome {
  const outcome = outcomeOf(status, retryAfter, text);
  const answer: unknown = JSON.parse(text);
  const fields = shownFields.safeParse(answer).data;
  if (fields) {
    const { url, frameKey: secret } = fields;
    const reference = new URL(url).pathname.split('/').at(-1) ?? '';
    return { ...outcome, data: { capture: { url, secret, reference } } };
  }
  const kind = shownState.safeParse(answer).data?.kind;
  return kind === undefined
    ? outcome
    : { ...outcome, data: { status: steps.includes(kind) ? 'step' : kind } };
}
