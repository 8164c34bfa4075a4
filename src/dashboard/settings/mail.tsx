import type { MailSettings } from '../../db/mail/mail-settings.ts';
import type { MailOutbox } from '../../db/mail/mails.ts';
import { mailFix } from '../../mail/messages/fixes.ts';
import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { Field, Form } from '../parts/fields.tsx';
import { count } from '../parts/format.ts';
import { Card, Facts, Status, Time } from '../parts/parts.tsx';
import { ReceiptForm } from '../payments/receipt.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.settings.mail;

/** The mail server of this environment, and the mails that it did not send. */
export interface MailView {
  /** Null when the merchant has none. */
  settings: MailSettings | null;
  outbox: MailOutbox;
  /** The default recipient of a test: the member's own address. */
  ownAddress: string | null;
  /** The values of a rejected form. The server's address contains a password, so it is not kept. */
  typed: { from?: string; to?: string };
}

/** The merchant's mail server: its state, a test, and the form that changes it. */
export function MailCard({ frame, mail }: { frame: Frame; mail: MailView }) {
  const { settings, outbox } = mail;
  const may = frame.may('settings');
  const state = settings === null ? 'off' : settings.problem === null ? 'enabled' : 'failing';
  return (
    <Card title={texts.settings.sections.mail} id="mail" aside={<Status of={state} />}>
      <p class="quiet-text">{settings === null ? text.none : text.sends}</p>
      {settings === null ? null : <Server frame={frame} settings={settings} waiting={outbox.waiting} />}
      {settings !== null && may ? <TestForm frame={frame} mail={mail} /> : null}
      <Aside frame={frame} aside={outbox.aside} canSend={settings !== null} />
      {may ? (
        <div class="actions">
          <ServerForm frame={frame} mail={mail} />
          {settings === null || isRequested(frame, 'mail-remove') ? null : (
            <ConfirmLink path={`${frame.base}/settings`} act="mail-remove" testId="mail-remove" danger>
              {text.remove}
            </ConfirmLink>
          )}
        </div>
      ) : null}
      {settings !== null && may ? <ConfirmedRemoval frame={frame} /> : null}
    </Card>
  );
}

function Server({ frame, settings, waiting }: { frame: Frame; settings: MailSettings; waiting: number }) {
  const { problem, replyCode, failingSince } = settings;
  return (
    <>
      {problem === null ? null : (
        <p class="alert notice bad" data-testid="mail-problem">
          {withMarkup(text.failing, {
            time: <Time at={failingSince} frame={frame} />,
            fix: mailFix({ problem, replyCode }),
          })}
        </p>
      )}
      <Facts
        of={[
          [
            text.server,
            <code>
              {settings.host}:{settings.port}
            </code>,
          ],
          [text.from, settings.fromAddress],
          [text.lastSent, <Time at={settings.lastSentAt} frame={frame} />],
          [text.waiting, count(waiting)],
        ]}
      />
    </>
  );
}

const TestForm = ({ frame, mail: { ownAddress, typed } }: { frame: Frame; mail: MailView }) => (
  <Form frame={frame} to={`${frame.base}/settings/mail/test`} class="row">
    <Field
      label={text.testTo}
      id="mail-test-to"
      name="to"
      type="email"
      required
      maxLength={320}
      value={typed.to ?? ownAddress ?? ''}
    />
    <button type="submit" class="btn" data-variant="outline" data-testid="mail-test">
      {text.test}
    </button>
  </Form>
);

/** The mails that were set aside. A receipt can be sent again if there is a server. */
function Aside({ frame, aside, canSend }: { frame: Frame; aside: MailOutbox['aside']; canSend: boolean }) {
  if (aside.length === 0) return null;
  return (
    <>
      <h3>{text.aside}</h3>
      <ul class="stack">
        {aside.map(({ id, kind, problem, replyCode, endedAt, receiptOf }) => (
          <li key={id}>
            {withMarkup(text.asideLine, {
              kind: text.kinds[kind],
              time: <Time at={endedAt} frame={frame} />,
              fix: problem === null ? '' : mailFix({ problem, replyCode }),
            })}
            {receiptOf === null ? null : (
              <>
                {' '}
                <a href={`${frame.base}/payments/${receiptOf}`}>{text.ofPayment}</a>
                {canSend && frame.may('resend') ? (
                  <ReceiptForm
                    frame={frame}
                    paymentId={receiptOf}
                    formKey={id}
                    label={texts.payments.sendReceiptAgain}
                  />
                ) : null}
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function ServerForm({ frame, mail: { settings, typed } }: { frame: Frame; mail: MailView }) {
  return (
    <details open={typed.from !== undefined}>
      <summary class="btn" data-variant="outline">
        {settings === null ? text.set : text.change}
      </summary>
      <Form frame={frame} to={`${frame.base}/settings/mail`} class="fields">
        <Field
          label={text.url}
          id="mail-url"
          name="url"
          type="password"
          required
          maxLength={2_048}
          autocomplete="off"
          help={text.urlHelp}
        />
        <Field
          label={text.from}
          id="mail-from"
          name="from"
          type="email"
          required
          maxLength={320}
          autocomplete="off"
          help={text.fromHelp}
          value={typed.from ?? settings?.fromAddress ?? ''}
        />
        <div class="actions">
          <button type="submit" class="btn" data-testid="mail-save">
            {texts.common.save}
          </button>
        </div>
      </Form>
    </details>
  );
}

function ConfirmedRemoval({ frame }: { frame: Frame }) {
  const path = `${frame.base}/settings`;
  if (!isRequested(frame, 'mail-remove')) return null;
  return (
    <Confirmation
      frame={frame}
      question={text.removeQuestion}
      to={`${path}/mail/remove`}
      yes={text.remove}
      back={path}
    >
      {text.removeText}
    </Confirmation>
  );
}
