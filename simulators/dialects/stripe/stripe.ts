import { join } from 'node:path';
import { deliverySchema } from '../../deliveries.ts';
import { Faults } from '../../faults.ts';
import { Holds } from '../../holds.ts';
import { createServer, PublicAddress, type SimulatorOptions } from '../../server.ts';
import { type Simulator, repeatedly, simulatorOf } from '../../simulator.ts';
import { Database } from '../../tables.ts';
import { accountRoutes } from './account-routes.ts';
import type { StripeContext } from './context.ts';
import { stripeErrorBody } from './errors.ts';
import { Events } from './events.ts';
import { balanceRoutes } from './balance-routes.ts';
import { disputeRoutes } from './dispute-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { intentRoutes } from './intent-routes.ts';
import { Ledger } from './ledger.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { paymentMethodRoutes } from './payment-method-routes.ts';
import {
  accountSchema,
  chargeSchema,
  disputeSchema,
  payoutSchema,
  endpointSchema,
  eventSchema,
  intentSchema,
  paymentMethodSchema,
  refundSchema,
  savedAnswerSchema,
} from './records.ts';
import { refundRoutes } from './refund-routes.ts';
import { simulateRoutes } from './simulate-routes.ts';
import { walletRoutes } from './wallet-routes.ts';
import { WebhookOrders } from './webhook-orders.ts';

export interface StripeOptions extends SimulatorOptions {
  /** The dialect's own folder: the ledger. */
  dataDir: string;
  /** The key with which the card vault's proxy alone may send whole card numbers. */
  proxyKey?: string;
  /** How long checkouts stay open, in ms; default half an hour. */
  checkoutMs?: number;
}

const CHECKOUT_MS = 30 * 60_000;
const PURGE_EVERY_MS = 60_000;
/** Stripe deletes idempotency keys after at least 24 hours. */
const KEY_LIFETIME_MS = 24 * 60 * 60_000;

/**
 * Builds the Stripe dialect on its folder and continues unfinished work. Nothing listens before `listen()`.
 */
export async function buildStripe(options: StripeOptions): Promise<Simulator> {
  const now = options.now ?? Date.now;
  const log = options.log ?? (() => undefined);
  const database = new Database();
  const tables = {
    methods: database.table('payment_methods', paymentMethodSchema),
    intents: database.table('payment_intents', intentSchema),
    charges: database.table('charges', chargeSchema),
    refunds: database.table('refunds', refundSchema),
    disputes: database.table('disputes', disputeSchema),
    payouts: database.table('payouts', payoutSchema),
  };
  const events = database.table('events', eventSchema);
  const endpoints = database.table('webhook_endpoints', endpointSchema);
  const deliveries = database.table('deliveries', deliverySchema);
  const savedAnswers = database.table('saved_answers', savedAnswerSchema);
  const accounts = database.table('accounts', accountSchema);
  await database.open(join(options.dataDir, 'ledger.jsonl'), options.onBroken);

  const address = new PublicAddress(options);
  const webhookOrders = new WebhookOrders();
  const flushed = (): Promise<void> => database.flushed();
  const news = new Events({ events, endpoints, deliveries }, webhookOrders, { flushed, now, log });
  const together = <Result>(work: () => Result): Result => database.together(work);
  const ledger = new Ledger(tables, news, {
    publicUrl: () => address.url,
    checkoutMs: options.checkoutMs ?? CHECKOUT_MS,
    together,
    now,
    log,
  });
  const holds = new Holds();
  const context: StripeContext = {
    ledger,
    events: news,
    endpoints,
    accounts,
    savedAnswers,
    running: new Set(),
    faults: new Faults(),
    webhookOrders,
    holds,
    calls: new Map(),
    proxyKey: options.proxyKey ?? null,
    together,
    publicUrl: () => address.url,
    flushed,
    now,
  };

  const app = createServer({ log, flushed, errorBody: stripeErrorBody });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  app.register(accountRoutes(context));
  app.register(balanceRoutes(context));
  app.register(paymentMethodRoutes(context));
  app.register(intentRoutes(context));
  app.register(refundRoutes(context));
  app.register(disputeRoutes(context));
  app.register(eventRoutes(context));
  app.register(simulateRoutes(context));
  app.register(ledgerRoutes(context));
  app.register(pageRoutes(context));
  app.register(walletRoutes(context));

  const purge = (): void => {
    news.purge(now());
    for (const [key, saved] of [...savedAnswers.entries()]) {
      if (now() >= saved.at + KEY_LIFETIME_MS) savedAnswers.delete(key);
    }
  };
  purge();
  await database.compact();
  news.resume();
  ledger.resume();

  const alarms = [repeatedly(PURGE_EVERY_MS, 'purge', purge, log), ledger];
  return simulatorOf({ app, address, holds, alarms, stores: [news, database] });
}
