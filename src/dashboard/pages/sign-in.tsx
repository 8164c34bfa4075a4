import { renderPlainPage } from '../document.tsx';
import { Field } from '../parts.tsx';
import { PasswordFields } from './password.tsx';
import type { Notice } from '../view.ts';

/** Returns the page of whoever is not signed in. `to`: where they wanted to go. */
export const signInPage = ({
  csrf,
  to,
  notice,
  byPassword,
}: {
  csrf: string;
  to: string;
  notice: Notice | null;
  /** Whether a password was just tried. */
  byPassword: boolean;
}): string =>
  renderPlainPage(
    'Sign in',
    <>
      <form
        method="post"
        action="/dashboard/sign-in/passkey"
        class="fields"
        data-passkey="get"
        data-options="/dashboard/sign-in/options"
      >
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="to" value={to} />
        <input type="hidden" name="credential" value="" />
        <button type="submit" data-testid="passkey-sign-in">
          Sign in with a passkey
        </button>
      </form>
      <details open={byPassword}>
        <summary>Use a password</summary>
        <form method="post" action="/dashboard/sign-in" class="fields">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="to" value={to} />
          <Field
            label="Sign-in name"
            id="login"
            name="login"
            required
            maxLength={255}
            autocomplete="username"
          />
          <PasswordFields />
          <button type="submit">Sign in</button>
        </form>
      </details>
      <p class="quiet-text">
        The first time, and whenever you are locked out, whoever runs this service makes a link:{' '}
        <code>admin dashboard link --merchant …</code>
      </p>
    </>,
    notice,
  );
