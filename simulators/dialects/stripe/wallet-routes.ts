import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { publishedCardBehaviour } from '../../published-cards.ts';
import { parseBody, Refusal } from '../../server.ts';
import { authenticate, authenticatePublishable, type Caller } from './auth.ts';
import type { StripeContext } from './context.ts';
import { decodeForm } from './form.ts';
import { methodOf } from './payment-method-routes.ts';

const wallets = z.enum(['apple_pay', 'google_pay']);
const makeBody = z.strictObject({ key: z.string().max(300), wallet: wallets });
const orderBody = z.strictObject({ number: z.string().regex(/^\d{12,19}$/) });

/** The card behind a wallet, unless an order names another. */
const usualCard = '4242424242424242';

/** Allows pages of another origin to load the script and to call this route. */
const open = (reply: FastifyReply): FastifyReply =>
  reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });

/**
 * Registers Apple Pay and Google Pay as Stripe.js offers them: the stand-in for its script, and the call that
 * creates a payment method under the publishable key. `POST /simulate/wallet {number}` orders the test card
 * of the account's next wallet payment.
 */
export function walletRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  const ordered = new Map<string, string>();
  const nameOf = ({ accountId, live }: Caller): string => `${accountId} ${live}`;

  return async (app) => {
    const script = await readFile(new URL('stripe-js.js', import.meta.url), 'utf8');
    // One script serves the named releases of all API versions.
    app.get('/:release/stripe.js', async (_request, reply) =>
      open(reply).type('text/javascript; charset=utf-8').send(script),
    );

    app.post('/stripe-js/payment_methods', async (request, reply) => {
      void open(reply);
      const form = decodeForm(typeof request.body === 'string' ? request.body : '');
      const { key, wallet } = parseBody(makeBody, { ...form });
      const caller = authenticatePublishable(key);
      const number = ordered.get(nameOf(caller)) ?? usualCard;
      ordered.delete(nameOf(caller));
      const behaviour = publishedCardBehaviour(number);
      if (behaviour === null) throw new Error('an ordered card is a test card');
      const made = { ...methodOf(caller, number, behaviour, stripe.now()), hasCvc: false, wallet };
      return ledger.showMethod(ledger.saveMethod(made));
    });

    app.post('/simulate/wallet', async (request) => {
      const caller = authenticate(request.headers.authorization);
      const { number } = parseBody(orderBody, request.body);
      if (publishedCardBehaviour(number) === null) {
        throw new Refusal(400, 'invalid_request', 'The field number is no test card.', 'number');
      }
      ordered.set(nameOf(caller), number);
      return { ordered: true };
    });
  };
}
