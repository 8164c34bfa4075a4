import { Field, Form } from '../parts/fields.tsx';
import { typedCents } from '../parts/format.ts';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.settings;

/** The sum of a day from which a second member approves refunds, which owners set. ADR 0057. */
export function RefundApprovalCard({
  frame,
  cents,
  typed,
}: {
  frame: Frame;
  cents: number | null;
  /** What a rejected form held. */
  typed: string | undefined;
}) {
  const disabled = !frame.may('team');
  return (
    <Card title={text.refundApproval} id="refund-approval">
      <p class="quiet-text">{text.refundApprovalText}</p>
      <Form frame={frame} to={`${frame.base}/settings/refund-approval`} class="fields">
        <Field
          label={text.refundApprovalFrom}
          id="refundApproval"
          name="refundApproval"
          inputMode="decimal"
          maxLength={12}
          disabled={disabled}
          value={typed ?? (cents === null ? '' : typedCents(cents))}
        />
        <div class="actions">
          <button type="submit" disabled={disabled}>
            {texts.common.save}
          </button>
        </div>
      </Form>
    </Card>
  );
}
