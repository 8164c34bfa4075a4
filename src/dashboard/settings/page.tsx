import type { ComponentChildren } from 'preact';
import type { DeclineLimits } from '../../domain/card-testing.ts';
import { type PaymentMethod, paymentMethods } from '../../domain/statuses.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card, Status } from '../parts/parts.tsx';
import { rich } from '../parts/rich.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';
import { ConnectorCard } from './connector.tsx';
import { DeclinesCard } from './declines.tsx';
import { RefundApprovalCard } from './refund-approval.tsx';
import { MailCard, type MailView } from './mail.tsx';

const text = texts.settings;

/** A merchant's settings in one environment. */
export interface SettingsView extends DeclineLimits {
  methods: readonly PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  embeddingOrigins: readonly string[];
  timeZone: string;
  refundApprovalCents: number | null;
}

/** The values of a rejected form, to be corrected. */
export interface TypedSettings {
  origins?: string;
  timeZone?: string;
  refundApproval?: string;
}

export function SettingsPage({
  frame,
  settings,
  typed,
  connector,
  mail,
}: {
  frame: Frame;
  settings: SettingsView;
  typed: TypedSettings;
  connector: Omit<Parameters<typeof ConnectorCard>[0], 'frame'>;
  mail: MailView;
}) {
  const disabled = !frame.may('settings');
  return (
    <>
      {disabled ? <p class="notice">{text.readOnly}</p> : null}
      <ConnectorCard frame={frame} {...connector} />
      <MailCard frame={frame} mail={mail} />
      <Card title={text.branding}>
        <p class="quiet-text">{text.brandingText}</p>
        <div class="actions">
          <a class="button quiet" href={`${frame.base}/branding`} data-testid="branding">
            {text.openBranding}
          </a>
        </div>
      </Card>
      <div class="packed">
        <MethodsCard
          frame={frame}
          methods={settings.methods}
          working={connector.working}
          disabled={disabled}
        />
        <EmbeddingCard
          frame={frame}
          origins={typed.origins ?? settings.embeddingOrigins.join('\n')}
          disabled={disabled}
        />
        <TimeZoneCard frame={frame} timeZone={typed.timeZone ?? settings.timeZone} disabled={disabled} />
        <CustomMode frame={frame} on={settings.customMode} disabled={disabled} />
        <CustomActions frame={frame} on={settings.customActions} disabled={disabled} />
        <RefundApprovalCard frame={frame} cents={settings.refundApprovalCents} typed={typed.refundApproval} />
      </div>
      <DeclinesCard frame={frame} limits={settings} />
    </>
  );
}

function MethodsCard({
  frame,
  methods,
  working,
  disabled,
}: {
  frame: Frame;
  methods: readonly PaymentMethod[];
  /** The methods with which customers can pay; others cannot be chosen. */
  working: readonly PaymentMethod[];
  disabled: boolean;
}) {
  return (
    <Card title={text.methodsTitle}>
      <Form frame={frame} to={`${frame.base}/settings/methods`} class="fields">
        <fieldset disabled={disabled}>
          <legend>{text.methodsLegend}</legend>
          {paymentMethods.map((method) =>
            working.includes(method) ? (
              <label class="check" key={method}>
                <input type="checkbox" name="methods" value={method} checked={methods.includes(method)} />
                {labelOf(method)}
              </label>
            ) : (
              <AwayMethod key={method} method={method} isChosen={methods.includes(method)} />
            ),
          )}
        </fieldset>
        <div class="actions">
          <button type="submit" disabled={disabled}>
            {texts.common.save}
          </button>
        </div>
      </Form>
    </Card>
  );
}

/** A method that cannot be paid with now; the choice made of it before stays. */
const AwayMethod = ({ method, isChosen }: { method: PaymentMethod; isChosen: boolean }) => (
  <>
    <label class="check">
      <input type="checkbox" disabled />
      <span class="quiet-text">
        {labelOf(method)} <small>{method === 'wallet' ? text.noWallets : text.notTaken}</small>
      </span>
    </label>
    {isChosen ? <input type="hidden" name="methods" value={method} /> : null}
  </>
);

function EmbeddingCard({ frame, origins, disabled }: { frame: Frame; origins: string; disabled: boolean }) {
  return (
    <Card title={text.embedding}>
      <Form frame={frame} to={`${frame.base}/settings/origins`} class="fields">
        <div class="field">
          <label for="origins">{text.origins}</label>
          <textarea id="origins" name="origins" disabled={disabled} placeholder={text.originsPlaceholder}>
            {origins}
          </textarea>
        </div>
        <div class="actions">
          <button type="submit" disabled={disabled}>
            {texts.common.save}
          </button>
        </div>
      </Form>
    </Card>
  );
}

/** Zones that the field proposes; any other one that the platform knows can be typed. */
const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

function TimeZoneCard({ frame, timeZone, disabled }: { frame: Frame; timeZone: string; disabled: boolean }) {
  return (
    <Card title={text.times} id="times">
      <Form frame={frame} to={`${frame.base}/settings/time-zone`} class="fields">
        <div class="field">
          <label for="time-zone">{text.timeZone}</label>
          <select id="time-zone" name="timeZone" disabled={disabled} aria-describedby="time-zone-help">
            {(timeZones.includes(timeZone) ? timeZones : [timeZone, ...timeZones]).map((zone) => (
              <option key={zone} selected={zone === timeZone}>
                {zone}
              </option>
            ))}
          </select>
          <small id="time-zone-help" class="help">
            {text.timeZoneHelp}
          </small>
        </div>
        <div class="actions">
          <button type="submit" disabled={disabled}>
            {texts.common.save}
          </button>
        </div>
      </Form>
    </Card>
  );
}

function CustomActions({ frame, on, disabled }: { frame: Frame; on: boolean; disabled: boolean }) {
  return (
    <Card title={text.customActions} aside={<Status of={on ? 'enabled' : 'off'} />}>
      <p class="quiet-text">{text.customActionsText}</p>
      {on ? (
        <TurnOff
          frame={frame}
          of="custom-actions"
          question={text.customActionsOffQuestion}
          disabled={disabled}
        >
          {rich(text.customActionsOffText, { path: <code>/confirm</code> })}
        </TurnOff>
      ) : (
        <Form frame={frame} to={`${frame.base}/settings/custom-actions`}>
          <input type="hidden" name="on" value="on" />
          <button type="submit" class="quiet" disabled={disabled}>
            {text.turnOn}
          </button>
        </Form>
      )}
    </Card>
  );
}

function CustomMode({ frame, on, disabled }: { frame: Frame; on: boolean; disabled: boolean }) {
  return (
    <Card title={text.customMode} aside={<Status of={on ? 'enabled' : 'off'} />}>
      {on ? (
        <>
          <p class="quiet-text">{text.customModeOn}</p>
          <TurnOff frame={frame} of="custom-mode" question={text.customModeOffQuestion} disabled={disabled}>
            {text.customModeOffText}
          </TurnOff>
        </>
      ) : (
        <>
          <div class="callout">
            <strong>{text.pciTitle}</strong>
            <span>{text.pciText}</span>
          </div>
          <Form frame={frame} to={`${frame.base}/settings/custom-mode`} class="fields">
            <input type="hidden" name="on" value="on" />
            <Field
              label={text.customModeConfirm(text.customModePhrase)}
              id="custom-mode-confirm"
              name="confirm"
              required
              autocomplete="off"
              disabled={disabled}
              data-testid="custom-mode-confirm"
            />
            <div class="actions">
              <button type="submit" disabled={disabled} data-testid="custom-mode">
                {text.turnOnCustomMode}
              </button>
            </div>
          </Form>
        </>
      )}
    </Card>
  );
}

/** The button that turns a setting off, and its confirmation. */
function TurnOff({
  frame,
  of,
  question,
  disabled,
  children,
}: {
  frame: Frame;
  of: 'custom-mode' | 'custom-actions';
  question: string;
  disabled: boolean;
  /** The effect. */
  children: ComponentChildren;
}) {
  const path = `${frame.base}/settings`;
  const act = `${of}-off`;
  if (disabled) return null;
  return isRequested(frame, act) ? (
    <Confirmation
      frame={frame}
      question={question}
      to={`${path}/${of}`}
      fields={{ on: 'off' }}
      yes={text.turnOff}
      back={path}
    >
      {children}
    </Confirmation>
  ) : (
    <div class="actions">
      <ConfirmLink path={path} act={act} testId={of}>
        {text.turnOff}
      </ConfirmLink>
    </div>
  );
}
