import { renderPlainPage } from '../document.tsx';
import type { Notice } from '../view.ts';

/** Returns the page of whoever is not signed in. `to`: where they wanted to go. */
export const signInPage = ({
  csrf,
  to,
  notice,
}: {
  csrf: string;
  to: string;
  notice: Notice | null;
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
      <p class="quiet-text">
        The first time, and whenever you are locked out, whoever runs this service makes a link:{' '}
        <code>admin dashboard link --merchant …</code>
      </p>
    </>,
    notice,
  );
