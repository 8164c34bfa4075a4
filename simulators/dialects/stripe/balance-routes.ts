import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { type BalanceTransaction, balanceOf, balanceTransactionView, payoutView } from './balance.ts';
import { Calls } from './calls.ts';
import type { StripeContext } from './context.ts';
import { pageOf } from './lists.ts';
import { expand, listParameters } from './parameters.ts';

const listed = z.strictObject({
  ...listParameters,
  type: z.string().max(40).optional(),
  payout: z.string().max(66).optional(),
});

/** The balance of an account, movement by movement, and its payouts. */
export function balanceRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  return async (app) => {
    const calls = new Calls(stripe, app);
    calls.get('/v1/balance_transactions', {
      kind: 'balance_transactions.list',
      schema: listed,
      run: ({ caller, parameters }) => {
        const { type } = parameters;
        const isAsked = (each: BalanceTransaction): boolean => (type ?? each.type) === each.type;
        const found = balanceOf(ledger).filter(isAsked);
        const path = '/v1/balance_transactions';
        return { object: pageOf(path, caller, found, parameters, balanceTransactionView) };
      },
    });
    calls.get('/v1/payouts/:id', {
      kind: 'payouts.retrieve',
      schema: z.strictObject({ expand }),
      run: ({ caller, id }) => ({ object: payoutView(ledger.payout(caller, id)) }),
    });
  };
}
