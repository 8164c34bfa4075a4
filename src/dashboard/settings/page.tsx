import type { ComponentChildren } from 'preact';
import type { Branding } from '../../domain/branding.ts';
import { type PaymentMethod, paymentMethods } from '../../domain/statuses.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { labelOf } from '../parts/format.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card, Status } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';
import { ConnectorCard } from './connector.tsx';

/** A merchant's settings in one environment. */
export interface SettingsView {
  methods: readonly PaymentMethod[];
  customMode: boolean;
  customActions: boolean;
  embeddingOrigins: readonly string[];
}

/** What has to be typed before custom mode is switched on. */
export const customModeWords = 'I take card data';

/** What a form held when it was refused, to be mended. */
export interface TypedSettings {
  origins?: string;
  looks?: Readonly<Record<string, string>>;
}

export function SettingsPage({
  frame,
  settings,
  branding,
  typed,
  connector,
}: {
  frame: Frame;
  settings: SettingsView;
  branding: Branding;
  typed: TypedSettings;
  connector: Omit<Parameters<typeof ConnectorCard>[0], 'frame'>;
}) {
  const disabled = !frame.may('settings');
  return (
    <>
      {disabled ? (
        <p class="notice">Your role shows the settings; owners and developers change them.</p>
      ) : null}
      <ConnectorCard frame={frame} {...connector} />
      <div class="columns">
        <Card title="Methods">
          <Form frame={frame} to={`${frame.base}/settings/methods`} class="fields">
            <fieldset disabled={disabled}>
              <legend>Customers may pay with</legend>
              {paymentMethods.map((method) => (
                <label class="check" key={method}>
                  <input
                    type="checkbox"
                    name="methods"
                    value={method}
                    checked={settings.methods.includes(method)}
                  />
                  {labelOf(method)}
                </label>
              ))}
            </fieldset>
            <div class="actions">
              <button type="submit" disabled={disabled}>
                Save methods
              </button>
            </div>
          </Form>
        </Card>
        <Card title="Embedding">
          <Form frame={frame} to={`${frame.base}/settings/origins`} class="fields">
            <div class="field">
              <label for="origins">Websites that may show the checkout page in theirs, one a line</label>
              <textarea id="origins" name="origins" disabled={disabled} placeholder="https://shop.example">
                {typed.origins ?? settings.embeddingOrigins.join('\n')}
              </textarea>
            </div>
            <div class="actions">
              <button type="submit" disabled={disabled}>
                Save websites
              </button>
            </div>
          </Form>
        </Card>
        <CustomMode frame={frame} on={settings.customMode} disabled={disabled} />
        <Card title="Custom actions" aside={<Status of={settings.customActions ? 'enabled' : 'off'} />}>
          <p class="quiet-text">
            Your backend leads customers through 3-D Secure and other steps itself, and confirms them.
          </p>
          {settings.customActions ? (
            <SwitchOff
              frame={frame}
              of="custom-actions"
              question="Switch off custom actions?"
              disabled={disabled}
            >
              Your backend cannot confirm a step of the customer any more: its calls of /confirm are answered
              404, and payments that wait for one end at their deadline.
            </SwitchOff>
          ) : (
            <Form frame={frame} to={`${frame.base}/settings/custom-actions`}>
              <input type="hidden" name="on" value="on" />
              <button type="submit" class="quiet" disabled={disabled}>
                Switch on
              </button>
            </Form>
          )}
        </Card>
      </div>
      <Looks frame={frame} branding={branding} typed={typed.looks ?? {}} disabled={disabled} />
    </>
  );
}

function CustomMode({ frame, on, disabled }: { frame: Frame; on: boolean; disabled: boolean }) {
  return (
    <Card title="Custom mode" aside={<Status of={on ? 'enabled' : 'off'} />}>
      {on ? (
        <>
          <p class="quiet-text">Your own pages take the card and send it to the vault.</p>
          <SwitchOff frame={frame} of="custom-mode" question="Switch off custom mode?" disabled={disabled}>
            New payments with checkoutMode custom are refused, and calls that take a card for open ones too.
            Payments on the hosted page go on.
          </SwitchOff>
        </>
      ) : (
        <>
          <div class="callout">
            <strong>PCI DSS applies to you</strong>
            <span>
              In custom mode card numbers pass through pages and systems of yours: you answer for them under
              PCI DSS, usually by self-assessment SAQ A-EP or SAQ D. With the hosted page it is SAQ A.
            </span>
          </div>
          <Form frame={frame} to={`${frame.base}/settings/custom-mode`} class="fields">
            <input type="hidden" name="on" value="on" />
            <Field
              label={`Type "${customModeWords}" to switch it on`}
              id="custom-mode-confirm"
              name="confirm"
              required
              autocomplete="off"
              disabled={disabled}
              data-testid="custom-mode-confirm"
            />
            <div class="actions">
              <button type="submit" disabled={disabled} data-testid="custom-mode">
                Switch on custom mode
              </button>
            </div>
          </Form>
        </>
      )}
    </Card>
  );
}

/** A switch that is on, and the question before it is off. */
function SwitchOff({
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
  /** What it does. */
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
      yes="Yes, switch it off"
      back={path}
    >
      {children}
    </Confirmation>
  ) : (
    <div class="actions">
      <ConfirmLink path={path} act={act} testId={of}>
        Switch off
      </ConfirmLink>
    </div>
  );
}

function Looks({
  frame,
  branding,
  typed,
  disabled,
}: {
  frame: Frame;
  branding: Branding;
  typed: Readonly<Record<string, string>>;
  disabled: boolean;
}) {
  const texts = [
    ['displayName', 'Name of the shop', 'text'],
    ['statementDescriptor', "On the customer's statement", 'text'],
    ['supportEmail', 'Where customers write to', 'email'],
    ['supportUrl', 'Where customers find help', 'url'],
    ['termsUrl', 'Terms', 'url'],
    ['privacyUrl', 'Privacy policy', 'url'],
    ['accent', 'Colour, such as #1d4ed8', 'text'],
  ] as const;
  return (
    <Card title="Looks of the checkout page">
      <Form frame={frame} to={`${frame.base}/settings/branding`} class="fields" encType="multipart/form-data">
        <fieldset disabled={disabled} class="fields">
          <legend class="unseen">Looks</legend>
          <div class="columns">
            {texts.map(([name, label, type]) => (
              <Field
                key={name}
                label={label}
                id={`branding-${name}`}
                name={name}
                type={type}
                value={typed[name] ?? branding[name] ?? ''}
              />
            ))}
            <Field
              label="Logo, PNG or SVG, 256 KB at most"
              id="branding-logo"
              name="logo"
              type="file"
              accept="image/png,image/svg+xml"
            />
          </div>
          {branding.logo === null ? null : (
            <label class="check">
              <input type="checkbox" name="removeLogo" value="on" /> Take the logo away
            </label>
          )}
          <div class="actions">
            <button type="submit">Save looks</button>
          </div>
        </fieldset>
      </Form>
    </Card>
  );
}
