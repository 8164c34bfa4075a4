import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStripe, type StripeOptions } from '../../simulators/dialects/stripe/stripe.ts';
import type { Simulator } from '../../simulators/simulator.ts';
import { Answer, call } from './simulators.ts';

export const SECRET_KEY = 'sk_test_51DialectAccount0SecretOfTheTests';
export const OTHER_SECRET_KEY = 'sk_test_51OtherAccount000SecretOfTheTests';
export const LIVE_SECRET_KEY = 'sk_live_51DialectAccount0SecretOfTheTests';
export const PROXY_KEY = 'proxy-key-for-tests-0001';

export type StripeObject = Record<string, unknown> & { id: string; status: string };
export interface StripeProblem {
  type: string;
  code?: string;
  decline_code?: string;
  message: string;
  param?: string;
  payment_intent?: StripeObject;
}

type Value = string | number | boolean | { [name: string]: Value } | Value[];

interface Options {
  key?: string;
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Called with every answer, so that a test can check all of them. */
export type OnAnswer = (answer: { method: string; path: string; status: number; body: unknown }) => void;

/** The Stripe dialect on a free port and a temporary folder. */
export class StripeWorld {
  readonly dir: string;
  readonly #options: Partial<StripeOptions>;
  readonly #onAnswer: OnAnswer;
  stripe!: Simulator;
  url = '';
  /** Moves the dialect's clock forward. */
  skewMs = 0;

  private constructor(dir: string, options: Partial<StripeOptions>, onAnswer: OnAnswer) {
    this.dir = dir;
    this.#options = options;
    this.#onAnswer = onAnswer;
  }

  static async start(options: Partial<StripeOptions> = {}, onAnswer: OnAnswer = () => undefined) {
    const world = new StripeWorld(await mkdtemp(join(tmpdir(), 'stripe-dialect-')), options, onAnswer);
    await world.open();
    return world;
  }

  async open(): Promise<void> {
    this.stripe = await buildStripe({
      dataDir: this.dir,
      proxyKey: PROXY_KEY,
      now: () => Date.now() + this.skewMs,
      ...this.#options,
    });
    this.url = await this.stripe.listen();
  }

  async restart(): Promise<void> {
    await this.stripe.close();
    await this.open();
  }

  async stop(): Promise<void> {
    await this.stripe.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async post(path: string, body: Record<string, Value> = {}, options: Options = {}): Promise<Answer> {
    const { key = SECRET_KEY, idempotencyKey, headers = {}, signal } = options;
    const answer = await call(this.url + path, {
      method: 'POST',
      form: formOf(body),
      headers: {
        authorization: `Bearer ${key}`,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(signal ? { signal } : {}),
    });
    this.#report('POST', path, answer);
    return answer;
  }

  async get(path: string, options: Options = {}): Promise<Answer> {
    const answer = await call(this.url + path, {
      headers: { authorization: `Bearer ${options.key ?? SECRET_KEY}`, ...options.headers },
    });
    this.#report('GET', path, answer);
    return answer;
  }

  async delete(path: string): Promise<Answer> {
    const answer = await call(this.url + path, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${SECRET_KEY}` },
    });
    this.#report('DELETE', path, answer);
    return answer;
  }

  /** Creates a payment method from a whole card, like the vault's proxy. */
  async method(number: string, key = SECRET_KEY): Promise<string> {
    const answer = await this.post('/v1/payment_methods', cardForm(number), {
      key,
      headers: { 'x-card-proxy-key': PROXY_KEY },
    });
    return answer.json<StripeObject>().id;
  }

  /** Creates an intent of `cents` with a card, without confirming it. */
  async intent(number: string, cents = 2500, more: Record<string, Value> = {}): Promise<StripeObject> {
    const answer = await this.post('/v1/payment_intents', {
      amount: cents,
      currency: 'usd',
      payment_method: await this.method(number),
      payment_method_types: ['card'],
      ...more,
    });
    return answer.json<StripeObject>();
  }

  /** Creates an intent and confirms it with a card. */
  async pay(number: string, cents = 2500, more: Record<string, Value> = {}): Promise<Answer> {
    const { id } = await this.intent(number, cents, more);
    return this.post(`/v1/payment_intents/${id}/confirm`, { return_url: 'http://127.0.0.1:9/return' });
  }

  /** Confirms an intent under a key; `signal` lets the caller leave before the answer. */
  confirm(id: string, key = `${id}:confirm`, signal?: AbortSignal): Promise<Answer> {
    const options = { idempotencyKey: key, ...(signal ? { signal } : {}) };
    return this.post(`/v1/payment_intents/${id}/confirm`, {}, options);
  }

  async statusOf(id: string): Promise<string> {
    return (await this.get(`/v1/payment_intents/${id}`)).json<StripeObject>().status;
  }

  /** Orders a fault of the account's calls. */
  order(fault: Record<string, unknown>, key = SECRET_KEY): Promise<Answer> {
    return call(`${this.url}/simulate/faults`, { json: fault, key });
  }

  #report(method: string, path: string, answer: Answer): void {
    if (!isJson(answer)) return;
    this.#onAnswer({
      method,
      path: path.split('?')[0] ?? '',
      status: answer.status,
      body: JSON.parse(answer.text) as unknown,
    });
  }
}

function isJson({ headers, text }: Answer): boolean {
  if (!String(headers['content-type']).startsWith('application/json')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const problemOf = (answer: Answer): StripeProblem => answer.json<{ error: StripeProblem }>().error;

/** Returns a card that is valid until the end of the year after next. */
export function cardForm(number: string): Record<string, Value> {
  return {
    type: 'card',
    card: {
      number,
      exp_month: '12',
      exp_year: String(new Date().getUTCFullYear() + 2),
      cvc: /^3[47]/.test(number) ? '7351' : '735',
    },
  };
}

/** Returns flat names with brackets, as Stripe's clients send them. */
function formOf(value: Record<string, Value>, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const path = prefix === '' ? name : `${prefix}[${name}]`;
      return typeof member === 'object'
        ? Object.entries(formOf(member as Record<string, Value>, path))
        : [[path, String(member)] as const];
    }),
  );
}
