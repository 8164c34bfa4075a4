import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { buildNetwork, type NetworkOptions } from '../../simulators/network/network.ts';
import type { Simulator } from '../../simulators/simulator.ts';
import type { chargeView, disputeView, ledgerView, refundView } from '../../simulators/network/views.ts';
import type { ClaimAnswer } from '../../simulators/vault/claims.ts';
import { buildVault, type Vault } from '../../simulators/vault/vault.ts';

export const SERVICE_KEY = 'service-key-for-tests-0001';
export const NETWORK_KEY = 'network-key-for-tests-0001';
export const SHOP_ORIGIN = 'http://127.0.0.1:9';
export const RETURN_URL = `${SHOP_ORIGIN}/return`;

export type ChargeView = ReturnType<typeof chargeView>;
export type RefundView = ReturnType<typeof refundView>;
export type DisputeView = ReturnType<typeof disputeView>;
export interface Ledger {
  charges: ReturnType<typeof ledgerView>[];
  refunds: RefundView[];
}
export interface ErrorView {
  error: { code: string; message: string; field?: string };
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as the bearer token. */
  key?: string;
  signal?: AbortSignal;
}

export class Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;

  constructor(status: number, headers: Answer['headers'], text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** Returns the body as the type that the caller names. */
  json<Body>(shape: z.ZodType<Body> = z.custom<Body>()): Body {
    return shape.parse(JSON.parse(this.text));
  }
}

/** Makes a call over real HTTP, without following redirects. */
export async function call(url: string, options: CallOptions = {}): Promise<Answer> {
  const { json, form, key, signal, method = json || form ? 'POST' : 'GET' } = options;
  const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
  const response = await request(url, {
    method,
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return new Answer(response.statusCode, response.headers, await response.body.text());
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the card fields of a capture body; the card is valid until the end of next year. */
export function cardFields(number: string, over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    card_number: number,
    card_cvv: /^3[47]/.test(number) ? '7351' : '735',
    card_expiry_month: '12',
    card_expiry_year: String((new Date().getUTCFullYear() + 1) % 100).padStart(2, '0'),
    ...over,
  };
}

/** A registered session and its credentials. */
export interface TestSession {
  reference: string;
  captureUrl: string;
  secret: string;
  frameKey: string;
  paymentId: string;
  merchantId: string;
  environment: 'sandbox' | 'live';
}

/** The two simulators on free ports and temporary folders, with the calls that the service would make. */
export class World {
  readonly dir: string;
  readonly logs: string[] = [];
  vault!: Vault;
  network!: Simulator;
  vaultUrl = '';
  networkUrl = '';
  /** Moves the simulators' clocks forward. */
  skewMs = 0;
  /** Time that passes at each reading of the simulators' clocks, as on a busy machine. */
  tickMs = 0;
  readonly #networkOptions: Partial<NetworkOptions>;

  private constructor(dir: string, networkOptions: Partial<NetworkOptions>) {
    this.dir = dir;
    this.#networkOptions = networkOptions;
  }

  static async start(networkOptions: Partial<NetworkOptions> = {}): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'simulators-')), networkOptions);
    await world.startVault();
    await world.startNetwork();
    return world;
  }

  async startVault(port = 0): Promise<void> {
    this.vault = await buildVault({
      dataDir: join(this.dir, 'vault'),
      serviceKey: SERVICE_KEY,
      networkKey: NETWORK_KEY,
      port,
      ...this.#shared(),
    });
    this.vaultUrl = await this.vault.listen();
  }

  async startNetwork(): Promise<void> {
    this.network = await buildNetwork({
      dataDir: join(this.dir, 'network'),
      serviceKey: SERVICE_KEY,
      vaultUrl: this.vaultUrl,
      vaultKey: NETWORK_KEY,
      ...this.#shared(),
      ...this.#networkOptions,
    });
    this.networkUrl = await this.network.listen();
  }

  async restartNetwork(): Promise<void> {
    await this.network.close();
    await this.startNetwork();
  }

  async stop(): Promise<void> {
    await this.network.close();
    await this.vault.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  #shared() {
    return {
      now: () => Date.now() + (this.skewMs += this.tickMs),
      log: (event: string, fields: object = {}) => void this.logs.push(JSON.stringify({ event, ...fields })),
    };
  }

  service(path: string, options: CallOptions = {}): Promise<Answer> {
    const base = path.startsWith('/service') ? this.vaultUrl : this.networkUrl;
    return call(base + path, { key: SERVICE_KEY, ...options });
  }

  /** Registers a session; `over` replaces fields of the registration. */
  async session(over: Record<string, unknown> = {}): Promise<TestSession> {
    const reference = randomBytes(15).toString('hex');
    const secret = randomBytes(24).toString('base64url');
    const frameKey = randomBytes(24).toString('base64url');
    const expiresAt = new Date(Date.now() + this.skewMs + 10 * 60_000).toISOString();
    const body = { ...sessionBody(secret, frameKey), expiresAt, ...over };
    const answer = await this.service(`/service/sessions/${reference}`, { method: 'PUT', json: body });
    const { captureUrl } = answer.json<{ captureUrl: string }>();
    const { paymentId, merchantId, environment } = body;
    return { reference, captureUrl, secret, frameKey, paymentId, merchantId, environment };
  }

  capture(session: TestSession, number: string, over: Record<string, unknown> = {}): Promise<Answer> {
    const headers = { 'x-cardvault-capture-secret': session.secret };
    return call(session.captureUrl, { json: cardFields(number, over), headers });
  }

  /** Registers a session, captures `number` and returns the token. */
  async token(
    number: string,
    over: Record<string, unknown> = {},
  ): Promise<{ session: TestSession; token: string }> {
    const session = await this.session(over);
    const { token } = (await this.capture(session, number)).json<{ token: string }>();
    return { session, token };
  }

  async claim(session: TestSession, token: string, over: Record<string, unknown> = {}): Promise<ClaimAnswer> {
    const { paymentId, merchantId, environment } = session;
    const json = { token, paymentId, merchantId, environment, ...over };
    return (await this.service(`/service/sessions/${session.reference}/claim`, { json })).json<ClaimAnswer>();
  }

  /** Returns the body of a charge of `session` with `token`. */
  chargeBody(
    session: TestSession,
    token: string,
    over: Record<string, unknown> = {},
  ): Record<string, unknown> {
    return {
      paymentId: session.paymentId,
      attemptId: `${session.paymentId}-1`,
      merchantId: session.merchantId,
      environment: session.environment,
      amountCents: 2_500,
      currency: 'USD',
      method: 'card',
      cardToken: token,
      checkoutExpiresAt: new Date(Date.now() + this.skewMs + 30 * 60_000).toISOString(),
      returnUrl: RETURN_URL,
      ...over,
    };
  }

  charge(key: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    return this.service('/v1/charges', { json: body, headers: { 'idempotency-key': key }, ...options });
  }

  /** Captures `number` and charges it as the first attempt of a new payment. */
  async pay(
    number: string,
    over: Record<string, unknown> = {},
  ): Promise<{ key: string; session: TestSession; token: string; charge: ChargeView }> {
    const { session, token } = await this.token(number);
    const key = `${session.paymentId}:1`;
    const answer = await this.charge(key, this.chargeBody(session, token, over));
    return { key, session, token, charge: answer.json<ChargeView>() };
  }

  async lookup(key: string): Promise<ChargeView> {
    return (await this.service(`/v1/charges/${encodeURIComponent(key)}`)).json<ChargeView>();
  }

  async confirm(key: string): Promise<ChargeView> {
    return (
      await this.service(`/v1/charges/${encodeURIComponent(key)}/confirm`, { method: 'POST' })
    ).json<ChargeView>();
  }

  async void(key: string, session: Pick<TestSession, 'paymentId'>): Promise<ChargeView> {
    const json = { paymentId: session.paymentId, attemptId: `${session.paymentId}-1`, amountCents: 2_500 };
    return (await this.service(`/v1/charges/${encodeURIComponent(key)}/void`, { json })).json<ChargeView>();
  }

  async ledger(paymentId: string): Promise<Ledger> {
    return (await call(`${this.networkUrl}/ledger?paymentId=${paymentId}`)).json<Ledger>();
  }

  async disputes(paymentId: string): Promise<DisputeView[]> {
    const answer = await this.service(`/v1/disputes?paymentId=${paymentId}`);
    return answer.json<{ disputes: DisputeView[] }>().disputes;
  }
}

export function sessionBody(secret: string, frameKey: string) {
  return {
    paymentId: randomUUID(),
    merchantId: 'mer_1',
    environment: 'sandbox' as const,
    mode: 'single',
    secretSha256: sha256(secret),
    frameKeySha256: sha256(frameKey),
    expiresAt: new Date(Date.now() + 10 * 60_000).toISOString(),
    allowedOrigin: SHOP_ORIGIN,
  };
}

/** Polls until `probe` returns a value. Fails after 30 s, which only a fault takes. */
export async function until<Found>(probe: () => Promise<Found | null | undefined | false>): Promise<Found> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error('the awaited state did not come');
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

/** Returns everything that the simulators have on disk, as one text. */
export async function rawFiles(world: World): Promise<string> {
  const entries = await readdir(world.dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

/** Returns a card number with a valid check digit that is not a test number, different for each `n`. */
export function luhnNumber(n: number): string {
  const body = `45${String(n * 7_919 + 1_234_567).padStart(13, '9')}`;
  const values = Array.from(body, (digit, at) => Number(digit) * (at % 2 === 0 ? 2 : 1));
  const sum = values.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return body + String((10 - (sum % 10)) % 10);
}
