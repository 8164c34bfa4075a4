import { renderPlainPage } from '../parts/document.tsx';
import { Field } from '../parts/fields.tsx';
import { PasswordFields } from './password-page.tsx';
import type { Notice } from '../parts/view.ts';

/** Returns the page of whoever is not signed in. `to`: where they wanted to go. */
export const signInPage = ({
  csrf,
  to,
  notice,
  login,
  provider,
}: {
  csrf: string;
  to: string;
  notice: Notice | null;
  /** The name a password was just tried with; null for none. */
  login: string | null;
  /** Name of the identity provider, where one is set up. */
  provider: string | null;
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
      {provider === null ? null : (
        <div class="fields">
          <a
            class="button quiet"
            href={`/dashboard/sign-in/oidc?to=${encodeURIComponent(to)}`}
            data-testid="oidc-sign-in"
          >
            Sign in with {provider}
          </a>
        </div>
      )}
      <details open={login !== null}>
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
            value={login ?? ''}
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

/**
 * Returns the page that asks before a link signs somebody in: whoever is signed in already as somebody else,
 * and whoever another site led to it. Anybody can send a link of their own.
 */
export const followLinkPage = ({
  csrf,
  token,
  signedIn,
  leadsTo,
}: {
  csrf: string;
  token: string;
  /** Null for nobody. */
  signedIn: { memberName: string; merchantName: string } | null;
  /** The merchant whose dashboard the link opens. */
  leadsTo: string;
}): string =>
  renderPlainPage(
    'Follow this link?',
    <form method="post" action={`/dashboard/link/${token}`} class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>
        {signedIn === null ? (
          <>Another site led you here. The link signs you in to the dashboard of {leadsTo}.</>
        ) : (
          <>
            You are signed in as {signedIn.memberName} at {signedIn.merchantName}. The link signs you out of
            that, and in at {leadsTo}, as whoever it was made for.
          </>
        )}{' '}
        Follow it only if you asked for it.
      </p>
      <button type="submit" data-testid="follow-link">
        Follow the link
      </button>
      {signedIn === null ? (
        <a class="button quiet" href="/dashboard/sign-in">
          Stay signed out
        </a>
      ) : (
        <a class="button quiet" href="/dashboard/sandbox">
          Stay signed in
        </a>
      )}
    </form>,
  );

/** Returns the page on which somebody who is a member at several merchants says whose dashboard they mean. */
export const chooseMerchantPage = ({
  csrf,
  members,
}: {
  csrf: string;
  members: readonly { id: string; name: string; merchantName: string }[];
}): string =>
  renderPlainPage(
    'Whose dashboard?',
    <form method="post" action="/dashboard/sign-in/oidc/choose" class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>Your address is that of a member at several merchants. Choose one; sign in again for another.</p>
      {members.map(({ id, name, merchantName }) => (
        <button key={id} type="submit" class="quiet choice" name="member" value={id}>
          <strong>{merchantName}</strong>
          <small>as {name}</small>
        </button>
      ))}
    </form>,
  );
