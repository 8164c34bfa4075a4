import type { DisputeRecord } from '../../domain/dispute.ts';
import type { PaymentRecord } from '../../domain/payment.ts';
import { labelOf, money, timeLeft } from '../parts/format.ts';
import { Address, Facts, Status, Time } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { Method } from '../payments/method.tsx';
import { texts } from '../texts/en.ts';

const text = texts.disputes;

interface SummaryProps {
  frame: Frame;
  dispute: DisputeRecord;
  payment: PaymentRecord;
}

/**
 * The summary of a dispute: the amount, what happens next and by when, and the payment. `open`: it waits for
 * the merchant's response. `late`: the deadline has passed.
 */
export function DisputeSummary({
  frame,
  dispute,
  payment,
  open,
  late,
}: SummaryProps & { open: boolean; late: boolean }) {
  const { method, customerName, customerEmail } = payment;
  const soon = open && !late && dispute.evidenceDueAt.getTime() - frame.nowMs < soonMs;
  return (
    <section class="card">
      <div class={soon ? 'dispute-head soon' : 'dispute-head'}>
        <h2 id="dispute-head" data-testid="dispute-head">
          {open
            ? late
              ? text.lateTitle
              : text.leftToRespond(timeLeft(dispute.evidenceDueAt, frame.nowMs))
            : outcome(dispute)}
        </h2>
        {open && late ? null : <Status of={dispute.status} />}
      </div>
      {open && !late ? <Deadline frame={frame} dispute={dispute} soon={soon} /> : null}
      {open && late ? <p>{text.lateResponseText}</p> : null}
      <Facts
        of={[
          [text.amount, money(dispute.amountCents)],
          [text.reason, labelOf(dispute.reason)],
          [text.payment, <a href={`${frame.base}/payments/${dispute.paymentId}`}>{payment.reference}</a>],
          [text.customer, customerName ?? (customerEmail && <Address of={customerEmail} />)],
          [text.paidWith, method === null ? null : <Method of={payment} />],
          [text.stage, labelOf(dispute.stage)],
          [text.opened, <Time at={dispute.createdAt} frame={frame} />],
          [text.submitted, dispute.submittedAt && <Time at={dispute.submittedAt} frame={frame} />],
          [text.closed, dispute.closedAt && <Time at={dispute.closedAt} frame={frame} />],
        ]}
      />
    </section>
  );
}

/** The bar warns when less time than this is left. */
const soonMs = 2 * 86_400_000;

/** The time that is left to respond, and what happens without a response. */
function Deadline({
  frame,
  dispute: { evidenceDueAt, createdAt, reopenedAt, amountCents },
  soon,
}: Pick<SummaryProps, 'frame' | 'dispute'> & { soon: boolean }) {
  const whole = evidenceDueAt.getTime() - (reopenedAt ?? createdAt).getTime();
  const left = evidenceDueAt.getTime() - frame.nowMs;
  return (
    <div class={soon ? 'deadline soon' : 'deadline'} data-testid="deadline">
      <progress
        aria-labelledby="dispute-head"
        max={100}
        value={Math.min(100, Math.round((left / Math.max(whole, 1)) * 100))}
      />
      <p>
        {withMarkup(text.withoutResponse(money(amountCents)), {
          time: <Time at={evidenceDueAt} frame={frame} />,
        })}
      </p>
    </div>
  );
}

/** Returns how a dispute ended, or what it waits for. */
function outcome({ status, resolution, amountCents }: DisputeRecord): string {
  const sum = money(amountCents);
  switch (status) {
    case 'won':
      return resolution === 'withdrawn' ? text.withdrawnText(sum) : text.wonText(sum);
    case 'lost':
      return resolution === 'accepted' ? text.acceptedText(sum) : text.lostText(sum);
    case 'needsResponse':
    case 'underReview':
      return text.underReviewText;
  }
}
