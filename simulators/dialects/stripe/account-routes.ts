import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Caller } from './auth.ts';
import { Calls } from './calls.ts';
import type { StripeContext } from './context.ts';
import { expand } from './parameters.ts';
import type { ApiObject } from './views.ts';

/** Answers a key with its own account and balance. */
export function accountRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  const schema = z.strictObject({ expand });
  return async (app) => {
    const calls = new Calls(stripe, app);
    calls.get('/v1/account', {
      kind: 'account.retrieve',
      schema,
      run: ({ caller }) => ({ object: accountView(stripe, caller) }),
    });
    calls.get('/v1/balance', {
      kind: 'balance.retrieve',
      schema,
      run: ({ caller }) => {
        const taken = ledger
          .charges()
          .filter(
            ({ status, accountId, live }) => status === 'succeeded' && isOf(caller, { accountId, live }),
          )
          .reduce((sum, charge) => sum + charge.amountCents - ledger.refundedCents(charge.id), 0);
        const amount = (cents: number) => [{ amount: cents, currency: 'usd', source_types: { card: cents } }];
        return {
          object: { object: 'balance', available: amount(0), livemode: caller.live, pending: amount(taken) },
        };
      },
    });
  };
}

const isOf = (caller: Caller, owner: Caller): boolean =>
  caller.accountId === owner.accountId && caller.live === owner.live;

function accountView({ accounts }: StripeContext, { accountId }: Caller): ApiObject {
  const { chargesEnabled, cardPayments } = accounts.get(accountId) ?? {
    chargesEnabled: true,
    cardPayments: 'active',
  };
  return {
    id: accountId,
    object: 'account',
    business_type: 'company',
    capabilities: { card_payments: cardPayments, transfers: 'active' },
    charges_enabled: chargesEnabled,
    country: 'US',
    created: 1_577_836_800,
    default_currency: 'usd',
    details_submitted: true,
    email: null,
    metadata: {},
    payouts_enabled: true,
    type: 'standard',
  };
}
