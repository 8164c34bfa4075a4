import { qrPath } from '../../checkout-page/qr.ts';
import { Field, Form } from '../parts/fields.tsx';
import { Card, Secret } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** Sets a password with its second factor, or shows the recovery codes of the one that was just set. */
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
        <Secret
          label="Your recovery codes. Each replaces a code of the app once, should you lose it."
          many
          value={codes.join('\n')}
          testId="recovery-codes"
        />
        <p>
          <a href={`${frame.base}/team`}>Back to the team</a>
        </p>
      </>
    );
  }
  const { side, path } = qrPath(factor.uri);
  return (
    <Card title={replaces ? 'Another password and authenticator app' : 'A password and an authenticator app'}>
      <p class="quiet-text">
        {replaces
          ? 'They take the place of your former password, its app and its recovery codes, which then are over.'
          : 'For whoever has no passkey. You sign in with the password and a code that the app shows.'}
      </p>
      <div class="columns">
        <figure class="qr">
          <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label="QR code for the authenticator app">
            <path d={path} />
          </svg>
          <figcaption>
            Read it with the app, or type <code data-testid="totp-secret">{factor.secret}</code>
          </figcaption>
        </figure>
        <Form frame={frame} to={`${frame.base}/team/password`} class="fields">
          <input type="hidden" name="secret" value={factor.secret} />
          <Field
            label="Sign-in name"
            id="login"
            name="login"
            required
            maxLength={255}
            value={login}
            autocomplete="username"
          />
          <Field
            label="Password"
            id="password"
            name="password"
            type="password"
            required
            maxLength={1_000}
            autocomplete="new-password"
            help="At least 12 characters."
          />
          <Field
            label="Code the app shows now"
            id="code"
            name="code"
            required
            maxLength={20}
            inputMode="numeric"
            autocomplete="one-time-code"
          />
          <div class="actions">
            <button type="submit">Set the password</button>
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
        label="Password"
        id="password"
        name="password"
        type="password"
        required
        maxLength={1_000}
        autocomplete="current-password"
      />
      <Field
        label="Code of your authenticator app"
        id="code"
        name="code"
        required
        maxLength={40}
        autocomplete="one-time-code"
        help="Or one of your recovery codes."
      />
    </>
  );
}
