import { refundReasons } from '../../domain/refund.ts';
import { isRequested } from '../parts/confirmation.tsx';
import { Choice, Field, Form } from '../parts/fields.tsx';
import { labelOf, money } from '../parts/format.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import type { PaymentPageData } from './data.ts';
import { methodText } from './facts.tsx';

const text = texts.payments;

/**
 * The form of a refund, a dialog on the payment's page. Without script the page opens anew with the dialog
 * open; with script the sum is shown in words while the member types.
 */
export function RefundDialog({
  frame,
  data,
  path,
}: {
  frame: Frame;
  data: PaymentPageData;
  /** Address of the payment's page. */
  path: string;
}) {
  const { refundForm } = data;
  const { payment } = data;
  return (
    <dialog
      id="refund"
      aria-labelledby="refund-title"
      open={refundForm !== null || isRequested(frame, 'refund') || undefined}
    >
      <Form frame={frame} to={`${path}/refunds`} class="fields" data-ask-with="amount">
        <input type="hidden" name="key" value={data.refundKey} />
        <h2 id="refund-title">{text.refundTitle(payment.reference)}</h2>
        <Field
          label={text.refundAmount}
          id="refund-amount"
          name="amount"
          inputMode="decimal"
          required
          autocomplete="off"
          value={refundForm?.amount ?? (data.refundableCents / 100).toFixed(2)}
          help={text.refundMost(money(data.refundableCents))}
          data-testid="refund-amount"
        />
        <p class="quiet-text" aria-live="polite" data-in-words="refund-amount" data-words={text.refundWords}>
          {text.refundTo(methodText(payment))}
        </p>
        <Choice
          label={text.reason}
          id="refund-reason"
          name="reason"
          value={refundForm?.reason ?? ''}
          options={[
            { value: '', label: text.noReason },
            ...refundReasons.map((value) => ({ value, label: labelOf(value) })),
          ]}
        />
        <Field
          label={text.refundReference}
          id="refund-reference"
          name="reference"
          maxLength={255}
          value={refundForm?.reference ?? ''}
        />
        <div class="actions">
          <button type="submit" class="btn" data-testid="refund-submit">
            {text.refund}
          </button>
          <a class="btn" data-variant="outline" href={path} data-close>
            {texts.common.cancel}
          </a>
        </div>
      </Form>
    </dialog>
  );
}
