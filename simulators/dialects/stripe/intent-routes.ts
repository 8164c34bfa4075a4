import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { randomBase62 } from '../../secrets.ts';
import { type Call, Calls, LostAnswer, type Result } from './calls.ts';
import { cancelIntent, confirmIntent, declineAnswer } from './charging.ts';
import type { StripeContext } from './context.ts';
import { badParameter, ruleError } from './errors.ts';
import { newObject } from './ids.ts';
import { pageOf } from './lists.ts';
import { expand, flag, listParameters, metadata, shortText, wholeNumber } from './parameters.ts';
import { paymentIdOf } from './payment-reference.ts';
import { namedMethod } from './payment-method-routes.ts';
import { type Intent, threeDSecureRequests } from './records.ts';

/** Smallest and largest charge in US dollars, in cents, as documented. */
const MIN_CENTS = 50;
const MAX_CENTS = 99_999_999;

const confirming = {
  payment_method: z.string().max(100).optional(),
  payment_method_types: z.array(z.literal('card')).length(1).optional(),
  payment_method_options: z
    .strictObject({
      card: z.looseObject({ request_three_d_secure: z.enum(threeDSecureRequests).optional() }).optional(),
    })
    .optional(),
  return_url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  use_stripe_sdk: flag.default(false),
  receipt_email: shortText.optional(),
  expand,
};

const createParameters = z.strictObject({
  ...confirming,
  amount: wholeNumber,
  currency: z.string().transform((text) => text.toLowerCase()),
  automatic_payment_methods: z
    .strictObject({ enabled: flag, allow_redirects: z.enum(['always', 'never']).default('always') })
    .optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  confirmation_method: z.literal('automatic').optional(),
  confirm: flag.default(false),
  description: z.string().max(1000).optional(),
  metadata,
  statement_descriptor_suffix: z.string().max(22).optional(),
});

const cancelParameters = z.strictObject({
  cancellation_reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']).optional(),
  expand,
});

/** Registers PaymentIntents: create, confirm, read, cancel and list. */
export function intentRoutes(stripe: StripeContext): FastifyPluginAsync {
  const { ledger } = stripe;
  const paymentOf = ({ caller, id }: Call<unknown>): string | null => {
    const intent = ledger.findIntent(id);
    return intent && intent.accountId === caller.accountId ? paymentIdOf(intent) : null;
  };

  return async (app) => {
    const calls = new Calls(stripe, app);

    calls.post('/v1/payment_intents', {
      kind: 'payment_intents.create',
      schema: createParameters,
      paymentOf: ({ parameters, idempotencyKey }) =>
        paymentIdOf({ metadata: parameters.metadata, confirmKey: idempotencyKey }),
      run: (call) => {
        requireAmount(call.parameters);
        requireCapability(stripe, call);
        const intent = create(stripe, call);
        return call.parameters.confirm
          ? confirm(stripe, call, intent)
          : { object: ledger.showIntent(intent) };
      },
    });

    calls.post('/v1/payment_intents/:id/confirm', {
      kind: 'payment_intents.confirm',
      schema: z.strictObject({ ...confirming, off_session: flag.optional() }),
      paymentOf,
      run: (call) => {
        requireCapability(stripe, call);
        return confirm(stripe, call, ledger.intent(call.caller, call.id));
      },
    });

    calls.get('/v1/payment_intents/:id', {
      kind: 'payment_intents.retrieve',
      schema: z.strictObject({ expand, client_secret: z.string().max(200).optional() }),
      paymentOf,
      run: ({ caller, id }) => ({ object: ledger.showIntent(ledger.intent(caller, id)) }),
    });

    calls.post('/v1/payment_intents/:id/cancel', {
      kind: 'payment_intents.cancel',
      schema: cancelParameters,
      paymentOf,
      run: ({ caller, id, parameters, cause }) => {
        const reason = parameters.cancellation_reason ?? null;
        const canceled = cancelIntent(ledger, ledger.intent(caller, id), reason, cause, stripe.now());
        return { object: ledger.showIntent(canceled) };
      },
    });

    calls.get('/v1/payment_intents', {
      kind: 'payment_intents.list',
      schema: z.strictObject(listParameters),
      run: ({ caller, parameters }) => ({
        object: pageOf('/v1/payment_intents', caller, ledger.intents(), parameters, (intent) =>
          ledger.showIntent(intent),
        ),
      }),
    });
  };
}

function requireAmount({ amount, currency }: { amount: number; currency: string }): void {
  if (currency !== 'usd') {
    throw badParameter('currency', 'Invalid currency: the dialect speaks usd only.');
  }
  if (amount < MIN_CENTS) {
    throw badParameter('amount', 'Amount must be at least $0.50 usd', 'amount_too_small');
  }
  if (amount > MAX_CENTS) {
    throw badParameter('amount', 'Amount must be no more than $999,999.99', 'amount_too_large');
  }
}

/** Refuses charges of an account that may not accept cards. */
function requireCapability({ accounts }: StripeContext, { caller }: Call<unknown>): void {
  const account = accounts.get(caller.accountId);
  if (!account || (account.chargesEnabled && account.cardPayments === 'active')) return;
  throw ruleError(400, {
    message:
      'Your account cannot currently make live charges. ' +
      'If you are a site owner, please check your dashboard to see what is required.',
  });
}

function create(
  stripe: StripeContext,
  { caller, parameters, cause, idempotencyKey }: Call<z.infer<typeof createParameters>>,
): Intent {
  const { ledger } = stripe;
  const now = stripe.now();
  const method =
    parameters.payment_method === undefined
      ? null
      : namedMethod(ledger, caller, parameters.payment_method, now);
  const { automatic_payment_methods: automatic } = parameters;
  const made = newObject('pi', caller, now, parameters.metadata);
  return ledger.saveIntent(
    {
      ...made,
      amountCents: parameters.amount,
      status: method === null ? 'requires_payment_method' : 'requires_confirmation',
      clientSecret: `${made.id}_secret_${randomBase62(25)}`,
      paymentMethodId: method?.id ?? null,
      returnUrl: parameters.return_url ?? null,
      description: parameters.description ?? null,
      receiptEmail: parameters.receipt_email ?? null,
      statementDescriptorSuffix: parameters.statement_descriptor_suffix ?? null,
      automaticMethods: automatic
        ? { enabled: automatic.enabled, allowRedirects: automatic.allow_redirects }
        : null,
      lastError: null,
      latestChargeId: null,
      step: null,
      due: null,
      canceledAt: null,
      cancellationReason: null,
      confirmKey: parameters.confirm ? idempotencyKey : null,
      threeDSecure: 'automatic',
    },
    'created',
    cause,
  );
}

function confirm(
  stripe: StripeContext,
  call: Call<{
    payment_method?: string | undefined;
    payment_method_options?:
      { card?: { request_three_d_secure?: Intent['threeDSecure'] | undefined } | undefined } | undefined;
    return_url?: string | undefined;
    use_stripe_sdk: boolean;
  }>,
  before: Intent,
): Result {
  const { ledger } = stripe;
  const { parameters, caller, cause, idempotencyKey } = call;
  const now = stripe.now();
  const method =
    parameters.payment_method === undefined
      ? null
      : namedMethod(ledger, caller, parameters.payment_method, now);
  const { intent, answer } = confirmIntent(
    ledger,
    before,
    method,
    {
      returnUrl: parameters.return_url ?? null,
      useSdk: parameters.use_stripe_sdk,
      threeDSecure: parameters.payment_method_options?.card?.request_three_d_secure ?? 'automatic',
      key: idempotencyKey,
      cause,
    },
    now,
  );
  const declined = declineAnswer(ledger, intent);
  if (declined) throw answer === 'lost' ? new LostAnswer(declined) : declined;
  return { object: ledger.showIntent(intent), answer, intentId: intent.id };
}
