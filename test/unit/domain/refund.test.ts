import fc from 'fast-check';
import {
  disputeMove,
  disputeStages,
  isClosedDispute,
  refuseDisputeAnswer,
  statusAfterDisputeClosed,
  statusAfterDisputeOpened,
  statusAfterDisputeReopened,
  statusAfterMoneyCameBack,
} from '../../../src/domain/dispute.ts';
import { disputeAgenda } from '../../../src/domain/dispute-agenda.ts';
import type { DisputeRecord } from '../../../src/domain/dispute.ts';
import { netCents } from '../../../src/domain/payment.ts';
import {
  type RefundStatus,
  decideRefund,
  isAllowedRefundChange,
  refundStatuses,
  statusAfterRefund,
} from '../../../src/domain/refund.ts';
import { type PaymentStatus, isAllowedStatusChange, paymentStatuses } from '../../../src/domain/statuses.ts';

const refundable: readonly PaymentStatus[] = ['paid', 'partiallyRefunded', 'disputeWon'];

describe('refunds and disputes in every payment status', () => {
  it.each(paymentStatuses)(
    'a refund of a payment that is %s is allowed only while money is held undisputed',
    (status) => {
      const refundedCents = status === 'partiallyRefunded' ? 100 : status === 'refunded' ? 1000 : 0;
      const decision = decideRefund({ status, amountCents: 1000, refundedCents }, 0, 10);
      const refused = { ok: false, code: 'payment_not_refundable', message: expect.any(String) };
      expect(decision).toEqual(refundable.includes(status) ? { ok: true, amountCents: 10 } : refused);
    },
  );

  it('names the status that forbids a refund', () => {
    const refund = (status: PaymentStatus) =>
      decideRefund({ status, amountCents: 1000, refundedCents: 0 }, 0, 10);
    expect(refund('pending')).toMatchObject({
      message: 'This payment is pending; only paid payments can be refunded.',
    });
    expect(refund('failed')).toMatchObject({
      message: 'This payment failed; only paid payments can be refunded.',
    });
  });

  it.each(paymentStatuses)(
    'a dispute of a payment that is %s disputes it only while money is held',
    (status) => {
      const after = statusAfterDisputeOpened(status);
      expect(after).toBe(refundable.includes(status) ? 'disputed' : status);
      expect(isAllowedStatusChange(status, after)).toBe(true);
    },
  );

  it('a refund that succeeds or fails late makes an allowed change from every status', () => {
    const cents = [0, 400, 1000];
    const byRefunds = (refundedCents: number): PaymentStatus =>
      statusAfterRefund({ ...held('paid'), refundedCents }, refundedCents);
    const changes = cents.flatMap((before) =>
      cents.flatMap((after) =>
        [byRefunds(before), 'disputed' as const, 'disputeWon' as const, 'disputeLost' as const].map(
          (from) => ({
            from,
            to: statusAfterRefund({ status: from, amountCents: 1000, refundedCents: before }, after),
          }),
        ),
      ),
    );
    expect(changes.filter(({ from, to }) => !isAllowedStatusChange(from, to))).toEqual([]);
    expect(new Set(changes.map(({ from, to }) => `${from} to ${to}`)).size).toBeGreaterThan(10);
  });

  it('the net amount of a payment that was never paid is zero, whatever its status', () => {
    for (const status of paymentStatuses) expect(netCents(held(status))).toBe(0);
  });

  it('a refund is at most the amount that succeeded and pending refunds leave', () => {
    const payment = { status: 'partiallyRefunded' as const, amountCents: 1000, refundedCents: 300 };
    expect(decideRefund(payment, 200, 500)).toEqual({ ok: true, amountCents: 500 });
    expect(decideRefund(payment, 200, 501)).toEqual({ ok: false, code: 'amount_too_large' });
    expect(decideRefund(payment, 200, null)).toEqual({ ok: true, amountCents: 500 });
    expect(decideRefund(payment, 700, null)).toMatchObject({
      ok: false,
      code: 'payment_not_refundable',
      message: expect.stringContaining('Nothing is left to refund'),
    });
  });

  it('refunds are final except for the late failure of one that succeeded', () => {
    const allowed = refundStatuses.flatMap((from) =>
      refundStatuses.filter((to) => isAllowedRefundChange(from, to)).map((to) => `${from} to ${to}`),
    );
    expect(allowed).toEqual([
      'pending to succeeded',
      'pending to failed',
      'pending to canceled',
      'succeeded to failed',
    ]);
  });
});

const held = (status: PaymentStatus) => ({ status, amountCents: 1000, refundedCents: 0, paidAt: null });

describe('answers to a dispute', () => {
  const due = new Date('2030-01-08T00:00:00Z');
  const before = new Date('2030-01-07T23:59:59Z');

  it.each([
    ['needsResponse', null, 'stage', before, null],
    ['needsResponse', null, 'submit', before, null],
    ['needsResponse', null, 'accept', before, null],
    ['needsResponse', null, 'stage', due, 'evidence_past_due'],
    ['needsResponse', null, 'submit', due, 'evidence_past_due'],
    ['needsResponse', null, 'accept', due, null],
    ['needsResponse', before, 'stage', before, 'evidence_already_submitted'],
    ['underReview', before, 'submit', before, 'evidence_already_submitted'],
    ['underReview', before, 'accept', before, 'evidence_already_submitted'],
    ['won', before, 'stage', before, 'dispute_closed'],
    ['lost', null, 'accept', before, 'dispute_closed'],
  ] as const)(
    '%s (submitted: %s): %s at %s is refused with %s',
    (status, submittedAt, answer, now, refused) => {
      expect(refuseDisputeAnswer({ status, submittedAt, evidenceDueAt: due }, answer, now)).toBe(refused);
    },
  );

  it('reminds 72, 24 and 6 hours before, submits 1 hour before, and fits shorter windows', () => {
    const hour = 3_600_000;
    expect(disputeAgenda(0, 168 * hour)).toEqual({
      reminders: [
        { hours: 72, atMs: 96 * hour },
        { hours: 24, atMs: 144 * hour },
        { hours: 6, atMs: 162 * hour },
      ],
      autoSubmitAtMs: 167 * hour,
      dueAtMs: 168 * hour,
    });
    expect(disputeAgenda(0, 10_000)).toEqual({ reminders: [], autoSubmitAtMs: 5_000, dueAtMs: 10_000 });
  });
});

/** A payment with refunds and disputes like its rows, changed by the same rules as in src/db. */
interface Model {
  status: PaymentStatus;
  amountCents: number;
  refundedCents: number;
  refunds: { amountCents: number; status: RefundStatus }[];
  disputes: Pick<DisputeRecord, 'stage' | 'status' | 'resolution'>[];
}

type Step =
  | { type: 'refund'; amountCents: number | null }
  | { type: 'resolve'; which: number; to: 'succeeded' | 'failed' | 'canceled' }
  | { type: 'dispute' }
  | { type: 'escalate'; which: number }
  | { type: 'decide'; which: number; to: 'underReview' | 'won' | 'lost' | 'withdrawn' };

const sum = (refunds: Model['refunds'], status: RefundStatus): number =>
  refunds.filter((one) => one.status === status).reduce((cents, one) => cents + one.amountCents, 0);

function change(model: Model, step: Step): PaymentStatus {
  if (step.type === 'refund') {
    const decision = decideRefund(model, sum(model.refunds, 'pending'), step.amountCents);
    if (decision.ok) model.refunds.push({ amountCents: decision.amountCents, status: 'pending' });
    return model.status;
  }
  if (step.type === 'resolve') {
    const refund = model.refunds[step.which % Math.max(1, model.refunds.length)];
    if (!refund || !isAllowedRefundChange(refund.status, step.to)) return model.status;
    refund.status = step.to;
    const refundedCents = sum(model.refunds, 'succeeded');
    const next = statusAfterRefund(model, refundedCents);
    model.refundedCents = refundedCents;
    return model.status === 'refunded' && next !== 'refunded'
      ? statusAfterMoneyCameBack(next, model.disputes)
      : next;
  }
  if (step.type === 'dispute') {
    model.disputes.push({ stage: 'inquiry', status: 'needsResponse', resolution: null });
    return statusAfterDisputeOpened(model.status);
  }
  const dispute = model.disputes[step.which % Math.max(1, model.disputes.length)];
  if (!dispute) return model.status;
  if (step.type === 'escalate') {
    const stage = disputeStages[disputeStages.indexOf(dispute.stage) + 1] ?? 'preArbitration';
    if (disputeMove(dispute, { stage, status: 'needsResponse' }) !== 'reopened') return model.status;
    Object.assign(dispute, { stage, status: 'needsResponse', resolution: null });
    return statusAfterDisputeReopened(model, model.disputes);
  }
  const to = step.to === 'withdrawn' ? 'won' : step.to;
  if (!['forward', 'reinstated'].includes(disputeMove(dispute, { ...dispute, status: to }))) {
    return model.status;
  }
  dispute.status = to;
  if (!isClosedDispute(to)) return model.status;
  dispute.resolution = step.to === 'withdrawn' ? 'withdrawn' : 'decided';
  return statusAfterDisputeClosed(model, model.disputes);
}

describe('any sequence of refunds, late failures and disputes', () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      type: fc.constant('refund' as const),
      amountCents: fc.option(fc.integer({ min: 1, max: 1200 })),
    }),
    fc.record({
      type: fc.constant('resolve' as const),
      which: fc.nat(20),
      to: fc.constantFrom('succeeded', 'failed', 'canceled'),
    }),
    fc.record({ type: fc.constant('dispute' as const) }),
    fc.record({ type: fc.constant('escalate' as const), which: fc.nat(5) }),
    fc.record({
      type: fc.constant('decide' as const),
      which: fc.nat(5),
      to: fc.constantFrom('underReview', 'won', 'lost', 'withdrawn'),
    }),
  );

  it('keeps 0 <= refundedCents <= amountCents including pending refunds, and makes allowed changes only', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const model: Model = {
          status: 'paid',
          amountCents: 1000,
          refundedCents: 0,
          refunds: [],
          disputes: [],
        };
        for (const one of steps) {
          const next = change(model, one);
          expect([model.status, next, isAllowedStatusChange(model.status, next)]).toEqual([
            model.status,
            next,
            true,
          ]);
          model.status = next;
          expect(model.refundedCents).toBeGreaterThanOrEqual(0);
          expect(model.refundedCents + sum(model.refunds, 'pending')).toBeLessThanOrEqual(1000);
          const net = netCents({ ...model, paidAt: new Date(0) });
          expect(net).toBe(model.status === 'disputeLost' ? 0 : 1000 - model.refundedCents);
          const open = model.disputes.some(({ status }) => !isClosedDispute(status));
          const wrong =
            (model.status === 'refunded' && model.refundedCents !== 1000) ||
            (model.status === 'paid' && model.refundedCents !== 0) ||
            (model.status === 'disputed' && !open) ||
            (open && ['paid', 'partiallyRefunded'].includes(model.status)) ||
            (model.status === 'disputeLost' && !model.disputes.some(({ status }) => status === 'lost'));
          expect(wrong).toBe(false);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
