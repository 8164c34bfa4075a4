import {
  APIConnectionError,
  APIError,
  CardPayments,
  type CaptureCard,
  type Checkout,
  ConflictError,
  GoneError,
  type Outcome,
  RateLimitError,
  ServiceUnavailableError,
} from '../../sdk/typescript/src/index.ts';
import type { Random } from '../support/harness/random.ts';
import type { ApiClient } from './api-client.ts';
import { approveAction } from './customer.ts';
import type { ClientPlan } from './plan.ts';
import type { Workload } from './workload.ts';

/** The number of declines after which the customer gives up. */
const maxDeclines = 3;
const maxCardTries = 10;
/** How often the shop captures the card again when the service rejects its token. */
const maxCaptures = 5;
const settlesWithinMs = 60_000;

/**
 * Plays a merchant's backend that leaves everything to the SDK: it creates once, pays and waits, and recovers
 * in a new process when the outcome is unknown. Each outcome that the SDK returns goes into the history.
 * Returns the payment's id; null when none was created.
 */
export async function payBySdk(
  client: ApiClient,
  plan: ClientPlan,
  random: Random,
  workload: Workload,
): Promise<string | null> {
  const order = `chaos-${plan.seed}-${plan.index}-${Date.now()}`;
  /** A new process of the shop: it keeps only the order's key from the previous one. */
  const shop = (): CardPayments =>
    new CardPayments({ apiKey: workload.apiKey, baseUrl: workload.apis[0], fetch: client.fetch });
  const create = async (): Promise<string> => {
    const { id } = await shop().payments.createOnce(order, {
      amountCents: plan.amountCents,
      currency: 'USD',
      reference: order,
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      checkoutMode: 'custom',
    });
    return id;
  };
  const id = await untilAnswered(client, create);
  if (id === null) return null;
  client.paymentId = id;
  if (random.chance(0.3)) await untilAnswered(client, create);
  const obtain = async (): Promise<CaptureCard | null> => {
    const access = await untilAnswered(client, async () => shop().payments.prepareCapture(id));
    return access && client.observed('card', () => capture(client, shop(), access, plan.card));
  };
  let card = await obtain();
  if (card === null) return id;
  const recover = async (): Promise<Outcome> => {
    const found = await shop().payments.recover(id, { timeoutMs: 20_000 });
    client.concluded(found.status);
    return found;
  };
  const act = async (): Promise<Outcome | null> => {
    for (let captures = 0; card !== null && captures < maxCaptures; captures += 1) {
      try {
        const timeoutMs = random.between(1_000, 25_000);
        const outcome = await shop().payments.payAndWait(id, card, { timeoutMs });
        client.concluded(outcome.status);
        return outcome;
      } catch (error) {
        // Nothing was charged, and the card may be captured again. The vault rejects some cards every time.
        if (!(error instanceof APIError) || error.code !== 'card_token_rejected') throw error;
        card = await obtain();
      }
    }
    return null;
  };
  await follow(client, { plan, random, workload, act, recover });
  return id;
}

interface Followed {
  plan: ClientPlan;
  random: Random;
  workload: Workload;
  act: () => Promise<Outcome | null>;
  recover: () => Promise<Outcome>;
}

/** Acts on each outcome until one needs no action or the card is given up. */
async function follow(client: ApiClient, followed: Followed): Promise<void> {
  const { plan, random, workload, act, recover } = followed;
  let declines = 0;
  let next: (() => Promise<Outcome | null>) | null = act;
  while (next !== null) {
    const outcome: Outcome | null = await next();
    if (outcome === null) return;
    if (outcome.status === 'declined') declines += 1;
    const isAgain = outcome.status === 'declined' && outcome.attemptsLeft > 0 && declines < maxDeclines;
    if (outcome.status === 'requiresAction') {
      const comesBack = (): boolean => random.chance(plan.comesBack);
      // If the page did not answer, the next iteration opens it again.
      await approveAction(outcome.actionUrl, comesBack, workload.reach).catch(() => undefined);
      await client.pause(200, 800);
    }
    const isOpen = outcome.status === 'requiresAction' || outcome.status === 'unknown';
    if (isAgain) next = act;
    // Each recover waits. A busy machine resolves the effects of faults some time after the schedule.
    else if (isOpen && Date.now() < workload.refundUntilMs + settlesWithinMs) next = recover;
    else next = null;
  }
}

/** Sends the card to the vault, again after a lost answer. Returns null when there is no token. */
async function capture(
  client: ApiClient,
  shop: CardPayments,
  access: Checkout,
  number: string,
): Promise<CaptureCard | null> {
  const cvv = number.startsWith('3') ? '1234' : '123';
  for (let tries = 0; tries < maxCardTries && !client.isOver; tries += 1) {
    try {
      return await shop.vault.capture(access, { number, cvv, expiryMonth: 12, expiryYear: 40 });
    } catch (error) {
      if (!(error instanceof APIConnectionError) && !(error instanceof ServiceUnavailableError)) return null;
    }
    await client.pause(200, 400);
  }
  return null;
}

/** Repeats a repeatable call until it is answered; null when it was refused or the time is over. */
async function untilAnswered<T>(client: ApiClient, call: () => Promise<T>): Promise<T | null> {
  while (!client.isOver) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof GoneError) return null;
      const isPassing =
        error instanceof APIConnectionError ||
        error instanceof ServiceUnavailableError ||
        error instanceof RateLimitError ||
        (error instanceof ConflictError && error.code === 'idempotency_in_progress');
      if (!isPassing) throw error;
    }
    await client.pause(100, 600);
  }
  return null;
}
