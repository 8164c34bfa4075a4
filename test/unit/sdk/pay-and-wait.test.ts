import { APIAbortError, AuthenticationError, ValidationError } from '../../../sdk/typescript/src/index.ts';
import {
  type Respond,
  card,
  checkoutState,
  clientOf,
  cut,
  data,
  payment,
  paymentId,
  refusal,
} from './fake-service.ts';

/** Returns a service with one checkout. `pays` answer the pays in turn, and change the checkout. */
function checkoutOf(
  pays: ((now: { status: string; attemptsLeft: number }) => Response)[],
  more: { paymentStatus?: string; waitingFor?: object | null; failureCode?: string | null } = {},
): { respond: Respond; now: { status: string; attemptsLeft: number } } {
  const now = { status: 'open', attemptsLeft: 5 };
  const respond: Respond = ({ method, path }) => {
    const what = path.split('/')[4] ?? '';
    if (method === 'POST' && what === 'pay') {
      const pay = pays.shift();
      if (pay === undefined) throw new Error('an unexpected pay');
      return pay(now);
    }
    if (what === 'status') return checkoutState(now.status, now.attemptsLeft);
    if (what === 'checkout') return data({ paymentId, actionUrl: 'https://pay.example/a/1' });
    const { failureCode = null, waitingFor = null } = more;
    const known = payment(more.paymentStatus ?? (now.status === 'paid' ? 'paid' : 'pending'), {
      failureCode,
    });
    if (what !== 'timeline') return data(known);
    const entries = [{ kind: 'attempt.declined', detail: { failureCode: 'card_declined' } }];
    return data({ payment: known, waitingFor, entries });
  };
  return { respond, now };
}

const paying = (what: ReturnType<typeof checkoutOf>, timeoutMs = 30_000) => {
  const { cp, sent } = clientOf(what.respond);
  const pays = () => sent.filter(({ path }) => path.endsWith('/pay')).length;
  return { cp, sent, pays, outcome: cp.payments.payAndWait(paymentId, card, { timeoutMs }) };
};

describe('payAndWait', () => {
  it('returns a paid payment as it was read from the service', async () => {
    const { outcome, pays } = paying(
      checkoutOf([
        (now) => {
          now.status = 'paid';
          return data({ status: 'paid', paymentId });
        },
      ]),
    );
    expect(await outcome).toMatchObject({ status: 'paid', paymentId, payment: { status: 'paid' } });
    expect(pays()).toBe(1);
  });

  it('finds the charge of a pay whose answer was lost, and does not pay again', async () => {
    const { outcome, pays } = paying(
      checkoutOf([
        (now) => {
          now.status = 'paid';
          return cut();
        },
      ]),
    );
    expect(await outcome).toMatchObject({ status: 'paid' });
    expect(pays()).toBe(1);
  });

  it('pays again when the pay never arrived', async () => {
    const { outcome, pays } = paying(
      checkoutOf([
        () => cut(),
        (now) => {
          now.status = 'paid';
          return data({ status: 'paid', paymentId });
        },
      ]),
    );
    expect(await outcome).toMatchObject({ status: 'paid' });
    expect(pays()).toBe(2);
  });

  it('does not pay again when the lost pay used an attempt', async () => {
    const { outcome, pays } = paying(
      checkoutOf([
        (now) => {
          Object.assign(now, { status: 'failed_retryable', attemptsLeft: 4 });
          return refusal(503, 'service_unavailable', { recovery: 'read_status' });
        },
      ]),
    );
    expect(await outcome).toEqual({
      status: 'declined',
      paymentId,
      attemptsLeft: 4,
      failureCode: 'card_declined',
    });
    expect(pays()).toBe(1);
  });

  it('joins an attempt that another process has under way', async () => {
    const what = checkoutOf([]);
    what.now.status = 'processing';
    const { respond } = what;
    const { cp, sent } = clientOf((request, number) => {
      if (request.query.has('waitSeconds'))
        Object.assign(what.now, { status: 'failed_retryable', attemptsLeft: 4 });
      return respond(request, number);
    });
    expect(await cp.payments.payAndWait(paymentId, card)).toMatchObject({
      status: 'declined',
      attemptsLeft: 4,
    });
    expect(sent.some(({ path }) => path.endsWith('/pay'))).toBe(false);
  });

  it('waits by long poll after 409', async () => {
    const what = checkoutOf([() => refusal(409, 'payment_in_progress', { recovery: 'read_status' })]);
    let reads = 0;
    const { cp, sent } = clientOf((request, number) => {
      if (request.path.endsWith('/status')) {
        reads += 1;
        what.now.status = reads === 1 ? 'open' : reads < 4 ? 'processing' : 'paid';
      }
      return what.respond(request, number);
    });
    expect(await cp.payments.payAndWait(paymentId, card)).toMatchObject({ status: 'paid' });
    const waits = sent.flatMap(({ query }) => query.get('waitSeconds') ?? []);
    expect(waits).toContain('25');
    expect(sent.filter(({ path }) => path.endsWith('/pay'))).toHaveLength(1);
  });

  it('returns the address of a step that the customer must complete', async () => {
    const { outcome } = paying(
      checkoutOf([
        (now) => {
          now.status = 'requiresAction';
          return data({ status: 'requiresAction', paymentId, clientSecret: 's', publishableKey: 'p' });
        },
      ]),
    );
    expect(await outcome).toEqual({
      status: 'requiresAction',
      paymentId,
      actionUrl: 'https://pay.example/a/1',
    });
  });

  it('distinguishes a decline from a payment that failed for good', async () => {
    const failed = (now: { status: string; attemptsLeft: number }): Response => {
      Object.assign(now, { status: 'expired', attemptsLeft: 4 });
      const message = 'The card was declined.';
      return data({ status: 'failed', paymentId, failureCode: 'lost_card', message, attemptsLeft: 4 });
    };
    const forGood = paying(checkoutOf([failed], { paymentStatus: 'failed', failureCode: 'lost_card' }));
    expect(await forGood.outcome).toEqual({ status: 'failed', paymentId, failureCode: 'lost_card' });
    const declined = paying(
      checkoutOf([
        (now) => {
          Object.assign(now, { status: 'failed_retryable', attemptsLeft: 4 });
          const message = 'The card was declined.';
          return data({
            status: 'failed',
            paymentId,
            failureCode: 'card_declined',
            message,
            attemptsLeft: 4,
          });
        },
      ]),
    );
    expect(await declined.outcome).toMatchObject({ status: 'declined', failureCode: 'card_declined' });
  });

  it('calls a checkout expired only when nothing is under way', async () => {
    const idle = checkoutOf([]);
    idle.now.status = 'expired';
    expect(await paying(idle).outcome).toMatchObject({ status: 'expired' });

    const inFlight = checkoutOf([], { waitingFor: { who: 'network' } });
    inFlight.now.status = 'expired';
    expect(await paying(inFlight, 1_500).outcome).toEqual({
      status: 'unknown',
      paymentId,
      checkoutStatus: 'expired',
    });
  });

  it('calls a payment expired whose capture access is over', async () => {
    const { outcome, pays } = paying(checkoutOf([() => refusal(410, 'checkout_expired')]));
    expect(await outcome).toEqual({ status: 'expired', paymentId, terminalReason: null });
    expect(pays()).toBe(1);
  });

  it('returns unknown, and throws nothing, when the time is over', async () => {
    const what = checkoutOf([
      (now) => {
        now.status = 'processing';
        return refusal(503, 'service_unavailable');
      },
    ]);
    expect(await paying(what, 1_500).outcome).toEqual({
      status: 'unknown',
      paymentId,
      checkoutStatus: 'processing',
    });
    const unreachable = clientOf(() => cut());
    expect(await unreachable.cp.payments.payAndWait(paymentId, card, { timeoutMs: 1_000 })).toEqual({
      status: 'unknown',
      paymentId,
      checkoutStatus: null,
    });
  });

  it('returns unknown for a status that this version does not know', async () => {
    const what = checkoutOf([]);
    what.now.status = 'underReview';
    expect(await paying(what, 1_500).outcome).toMatchObject({
      status: 'unknown',
      checkoutStatus: 'underReview',
    });
  });

  it('throws 401 and 422', async () => {
    const rejected = paying(
      checkoutOf([() => refusal(422, 'card_token_rejected', { recovery: 'ask_customer' })]),
    );
    await expect(rejected.outcome).rejects.toMatchObject({
      code: 'card_token_rejected',
      recovery: 'ask_customer',
    });
    await expect(rejected.outcome).rejects.toBeInstanceOf(ValidationError);
    const revoked = clientOf(() => refusal(401, 'unauthorized'));
    await expect(revoked.cp.payments.payAndWait(paymentId, card)).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('sends nothing with a signal that is aborted before', async () => {
    const { cp, sent } = clientOf(() => cut());
    const paid = cp.payments.payAndWait(paymentId, card, { signal: AbortSignal.abort() });
    await expect(paid).rejects.toBeInstanceOf(APIAbortError);
    expect(sent).toEqual([]);
  });

  it('returns unknown with a signal that is aborted during the pay', async () => {
    const controller = new AbortController();
    const what = checkoutOf([]);
    const { cp } = clientOf((request, number) => {
      if (!request.path.endsWith('/pay')) return what.respond(request, number);
      queueMicrotask(() => controller.abort());
      // It ignores its signal, like some runtimes.
      return new Promise<Response>(() => undefined);
    });
    const { signal } = controller;
    expect(await cp.payments.payAndWait(paymentId, card, { signal })).toMatchObject({ status: 'unknown' });
  });

  it('keeps an outcome when the signal is aborted after it', async () => {
    const controller = new AbortController();
    const what = checkoutOf([]);
    what.now.status = 'paid';
    const { cp } = clientOf(what.respond);
    const outcome = await cp.payments.payAndWait(paymentId, card, { signal: controller.signal });
    controller.abort();
    expect(outcome.status).toBe('paid');
  });
});

describe('recover', () => {
  it('returns the outcome with the id alone', async () => {
    const what = checkoutOf([]);
    Object.assign(what.now, { status: 'failed_retryable', attemptsLeft: 3 });
    const declined = await clientOf(what.respond).cp.payments.recover(paymentId);
    expect(declined).toMatchObject({ status: 'declined', attemptsLeft: 3, failureCode: 'card_declined' });
    what.now.status = 'paid';
    expect(await clientOf(what.respond).cp.payments.recover(paymentId)).toMatchObject({ status: 'paid' });
  });

  it('waits while no attempt was made, and calls that unknown', async () => {
    const open = await clientOf(checkoutOf([]).respond).cp.payments.recover(paymentId, { timeoutMs: 1_500 });
    expect(open).toEqual({ status: 'unknown', paymentId, checkoutStatus: 'open' });
  });

  it.each<[string, object, object | null, object]>([
    ['paid', payment('paid'), null, { status: 'paid' }],
    ['refunded since', payment('refunded'), null, { status: 'paid', payment: { status: 'refunded' } }],
    ['failed', payment('failed', { failureCode: 'lost_card' }), null, { failureCode: 'lost_card' }],
    ['closed', payment('pending'), null, { status: 'expired', terminalReason: null }],
    [
      'in its step',
      payment('requiresAction', { checkoutUrl: 'https://pay.example/c/1' }),
      { who: 'customer' },
      { status: 'requiresAction', actionUrl: 'https://pay.example/c/1' },
    ],
    ['under way', payment('pending'), { who: 'network' }, { status: 'unknown' }],
  ])('of a hosted payment that is %s', async (_what, known, waitingFor, expected) => {
    const { cp } = clientOf(({ path }) => {
      if (path.endsWith('/status')) return refusal(404, 'not_found');
      return data(path.endsWith('/timeline') ? { payment: known, waitingFor, entries: [] } : known);
    });
    expect(await cp.payments.recover(paymentId, { timeoutMs: 1_000 })).toMatchObject(expected);
  });

  it('keeps what it knows of a hosted payment when the last read does not end in time', async () => {
    const known = payment('pending', { checkoutUrl: 'https://pay.example/c/1' });
    let reads = 0;
    const { cp } = clientOf(async ({ path, signal }) => {
      if (path.endsWith('/status')) return refusal(404, 'not_found');
      if (path.endsWith('/timeline')) {
        return data({ payment: known, waitingFor: { who: 'customer' }, entries: [] });
      }
      reads += 1;
      if (reads > 1) await new Promise((_, reject) => signal?.addEventListener('abort', reject));
      return data(known);
    });
    const outcome = await cp.payments.recover(paymentId, { timeoutMs: 3_000 });
    expect(outcome).toEqual({ status: 'unknown', paymentId, checkoutStatus: 'open' });
    expect(reads).toBeGreaterThan(1);
  });
});
