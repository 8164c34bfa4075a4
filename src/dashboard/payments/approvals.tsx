import type { RefundApproval } from '../../db/refunds/refund-approvals.ts';
import { money } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { Card, Time } from '../parts/parts.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.payments;

/** Refunds that wait for a second member, with the form that approves one. */
export function ApprovalsCard({
  frame,
  approvals,
  path,
}: {
  frame: Frame;
  approvals: readonly RefundApproval[];
  path: string;
}) {
  if (approvals.length === 0) return null;
  return (
    <Card title={text.approvals}>
      <ul class="stack">
        {approvals.map(({ id, amountCents, askedByName, expiresAt }) => (
          <li key={id} data-testid="refund-approval">
            {withMarkup(text.approvalLine, {
              amount: money(amountCents),
              member: askedByName,
              time: <Time at={expiresAt} frame={frame} />,
            })}
            {frame.may('refund') ? (
              <Form frame={frame} to={`${path}/refunds/approve`}>
                <input type="hidden" name="approval" value={id} />
                <button type="submit" class="btn">
                  {text.approve}
                </button>
              </Form>
            ) : null}
          </li>
        ))}
      </ul>
    </Card>
  );
}
