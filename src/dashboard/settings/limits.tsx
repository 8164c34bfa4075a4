import { type DeclineLimits, declineLimitNames, maxDeclines } from '../../domain/card-testing.ts';
import { isRequested } from '../parts/confirmation.tsx';
import { Field, Form } from '../parts/fields.tsx';
import { money, typedCents } from '../parts/format.ts';
import { Card } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { SaveButton, Setting, SettingList } from './setting.tsx';
import { TurnOff } from './turn-off.tsx';

const text = texts.settings;

/** The limits that owners set. */
export function LimitsCard({
  frame,
  refundApprovalCents,
  typedApproval,
  refundsLate,
  declines,
  areDeclinesRefused,
}: {
  frame: Frame;
  refundApprovalCents: number | null;
  /** The value of a rejected form. */
  typedApproval: string | undefined;
  /** Whether payments after the deadline are refunded automatically. */
  refundsLate: boolean;
  declines: DeclineLimits;
  /** Whether the form of the declines was rejected. */
  areDeclinesRefused: boolean;
}) {
  const may = frame.may('team');
  const limited = declineLimitNames.filter((name) => declines[name] > 0).length;
  return (
    <Card title={text.sections.limits} id="limits">
      <SettingList>
        <Setting
          name={text.refundApproval}
          value={
            refundApprovalCents === null ? text.noLimit : text.refundApprovalOf(money(refundApprovalCents))
          }
          isOpen={typedApproval !== undefined}
        >
          {may ? <ApprovalForm frame={frame} cents={refundApprovalCents} typed={typedApproval} /> : null}
        </Setting>
        <Setting
          name={text.refundLate}
          value={refundsLate ? text.refundedLate : text.keptLate}
          isOpen={isRequested(frame, 'refund-late-off')}
        >
          {may ? <LateForm frame={frame} on={refundsLate} /> : null}
        </Setting>
        <Setting
          name={text.declines}
          value={limited === 0 ? text.noLimit : text.declineLimitsOf(limited, declineLimitNames.length)}
          isOpen={areDeclinesRefused}
        >
          {may ? <DeclinesForm frame={frame} limits={declines} /> : null}
        </Setting>
      </SettingList>
    </Card>
  );
}

/** The form for the daily sum from which a second member must approve refunds. ADR 0057. */
const ApprovalForm = ({
  frame,
  cents,
  typed,
}: {
  frame: Frame;
  cents: number | null;
  typed: string | undefined;
}) => (
  <Form frame={frame} to={`${frame.base}/settings/refund-approval`} class="fields">
    <p class="quiet-text">{text.refundApprovalText}</p>
    <Field
      label={text.refundApprovalFrom}
      id="refundApproval"
      name="refundApproval"
      inputMode="decimal"
      maxLength={12}
      value={typed ?? (cents === null ? '' : typedCents(cents))}
    />
    <SaveButton />
  </Form>
);

/** What happens to payments that are paid after their checkout closed. docs/refunds-and-disputes.md. */
const LateForm = ({ frame, on }: { frame: Frame; on: boolean }) => (
  <>
    <p class="quiet-text">{on ? text.refundLateOn : text.refundLateText}</p>
    {on ? (
      <TurnOff frame={frame} of="refund-late" question={text.refundLateOffQuestion}>
        {text.refundLateOffText}
      </TurnOff>
    ) : (
      <Form frame={frame} to={`${frame.base}/settings/refund-late`} class="actions">
        <input type="hidden" name="on" value="on" />
        <button type="submit" class="btn" data-testid="refund-late-on">
          {text.turnOn}
        </button>
      </Form>
    )}
  </>
);

/** The form for the numbers of declines after which payments are refused. docs/card-testing.md. */
const DeclinesForm = ({ frame, limits }: { frame: Frame; limits: DeclineLimits }) => (
  <Form frame={frame} to={`${frame.base}/settings/declines`} class="fields">
    <p class="quiet-text">{text.declinesText}</p>
    <div class="limits">
      {declineLimitNames.map((name) => (
        <Field
          key={name}
          label={text.declineLimits[name]}
          id={name}
          name={name}
          type="number"
          min={0}
          max={maxDeclines}
          required
          value={String(limits[name])}
        />
      ))}
    </div>
    <SaveButton />
  </Form>
);
