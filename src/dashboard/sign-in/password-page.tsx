import { qrPath } from '../../checkout-page/qr.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import { Secret } from '../parts/copied.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.signIn;

/** The page that sets a password with its second factor, or shows the recovery codes of a new one. */
export function PasswordPage({
  frame,
  factor,
  login,
  codes,
  replaces,
}: {
  frame: Frame;
  factor: { secret: string; uri: string };
  login: string;
  codes: readonly string[] | null;
  /** Whether the member has a password already. */
  replaces: boolean;
}) {
  if (codes !== null) {
    return (
      <>
        <Secret label={text.recoveryCodes} many value={codes.join('\n')} testId="recovery-codes" />
        <p>
          <a href={`${frame.base}/team`}>{text.backToTeam}</a>
        </p>
      </>
    );
  }
  const { side, path } = qrPath(factor.uri);
  return (
    <Card title={replaces ? text.changePassword : text.newPassword}>
      <p class="quiet-text">{replaces ? text.changePasswordText : text.newPasswordText}</p>
      <div class="columns">
        <figure class="qr">
          <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={text.qrLabel}>
            <path d={path} />
          </svg>
          <figcaption>
            {withMarkup(text.qrCaption, { secret: <code data-testid="totp-secret">{factor.secret}</code> })}
          </figcaption>
        </figure>
        <Form frame={frame} to={`${frame.base}/team/password`} class="fields">
          <input type="hidden" name="secret" value={factor.secret} />
          <Field
            label={text.login}
            id="login"
            name="login"
            required
            maxLength={255}
            value={login}
            autocomplete="username"
          />
          <Field
            label={text.password}
            id="password"
            name="password"
            type="password"
            required
            maxLength={1_000}
            autocomplete="new-password"
            help={text.passwordHelp}
          />
          <Field
            label={text.appCode}
            id="code"
            name="code"
            required
            maxLength={20}
            inputMode="numeric"
            autocomplete="one-time-code"
          />
          <div class="actions">
            <button type="submit" class="btn">
              {text.setPassword}
            </button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

/** The fields of a password with its second factor. */
export function PasswordFields() {
  return (
    <>
      <Field
        label={text.password}
        id="password"
        name="password"
        type="password"
        required
        maxLength={1_000}
        autocomplete="current-password"
      />
      <Field
        label={text.code}
        id="code"
        name="code"
        required
        maxLength={40}
        autocomplete="one-time-code"
        help={text.codeHelp}
      />
    </>
  );
}
