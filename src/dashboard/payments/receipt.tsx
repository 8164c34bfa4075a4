import type { ReceiptMail } from '../../db/mail/receipts.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { Form } from '../parts/fields.tsx';
import { Time } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { PaymentPageData } from './data.ts';

const text = texts.payments;

/** Whether the receipt was mailed, and if not, why; null if there is nothing to show. */
export function receiptFact(frame: Frame, { payment, receipt, isMailSet, receiptKey }: PaymentPageData) {
  const isOffered =
    isMailSet &&
    frame.may('resend') &&
    payment.paidAt !== null &&
    payment.customerEmail !== null &&
    receipt?.status !== 'waiting';
  if (receipt === null && !isOffered) return null;
  return (
    <>
      {receipt === null ? text.noReceipt : <State frame={frame} receipt={receipt} />}
      {isOffered ? (
        <ReceiptForm
          frame={frame}
          paymentId={payment.id}
          formKey={receiptKey}
          label={receipt === null ? text.sendReceipt : text.sendReceiptAgain}
        />
      ) : null}
    </>
  );
}

function State({ frame, receipt }: { frame: Frame; receipt: ReceiptMail }) {
  const { status, endedAt, problem, replyCode } = receipt;
  if (status === 'sent')
    return <>{withMarkup(text.receiptSent, { time: <Time at={endedAt} frame={frame} /> })}</>;
  const fix = problem === null ? '' : mailFix({ problem, replyCode });
  return <>{`${status === 'waiting' ? text.receiptWaits : text.receiptAside} ${fix}`.trim()}</>;
}

/** The button that mails a payment's receipt again. `formKey` is a UUID; the same one mails it only once. */
export const ReceiptForm = ({
  frame,
  paymentId,
  formKey,
  label,
}: {
  frame: Frame;
  paymentId: string;
  formKey: string;
  label: string;
}) => (
  <Form frame={frame} to={`${frame.base}/payments/${paymentId}/receipt`}>
    <input type="hidden" name="key" value={formKey} />
    <button type="submit" class="btn" data-variant="outline" data-testid="receipt-send">
      {label}
    </button>
  </Form>
);
