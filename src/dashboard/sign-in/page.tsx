import { renderPlainPage } from '../parts/document.tsx';
import { Field } from '../parts/fields.tsx';
import { PasswordFields } from './password-page.tsx';
import type { Notice } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.signIn;

/** Returns the sign-in page. `to`: the page to open afterwards. */
export const signInPage = ({
  csrf,
  to,
  notice,
  login,
  provider,
  mails,
}: {
  csrf: string;
  to: string;
  notice: Notice | null;
  /** The sign-in name of a failed attempt; null without one. */
  login: string | null;
  /** Name of the identity provider, if one is configured. */
  provider: string | null;
  /** Whether sign-in links can be sent by mail. */
  mails: boolean;
}): string =>
  renderPlainPage(
    text.title,
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
        <button type="submit" class="btn" data-testid="passkey-sign-in">
          {text.withPasskey}
        </button>
      </form>
      {provider === null ? null : (
        <div class="fields">
          <a
            class="btn"
            data-variant="outline"
            href={`/dashboard/sign-in/oidc?to=${encodeURIComponent(to)}`}
            data-testid="oidc-sign-in"
          >
            {text.withProvider(provider)}
          </a>
        </div>
      )}
      <details open={login !== null}>
        <summary>{text.usePassword}</summary>
        <form method="post" action="/dashboard/sign-in" class="fields">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="to" value={to} />
          <Field
            label={text.login}
            id="login"
            name="login"
            required
            maxLength={255}
            value={login ?? ''}
            autocomplete="username"
          />
          <PasswordFields />
          <button type="submit" class="btn">
            {text.button}
          </button>
        </form>
      </details>
      {mails ? <MailedLinkForm csrf={csrf} /> : null}
      <p class="quiet-text">{text.needLink}</p>
    </>,
    notice,
  );

const MailedLinkForm = ({ csrf }: { csrf: string }) => (
  <details>
    <summary>{text.mailLink}</summary>
    <form method="post" action="/dashboard/sign-in/link" class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <Field label={text.mailLinkTo} id="link-email" name="email" type="email" required maxLength={320} />
      <button type="submit" class="btn" data-variant="outline" data-testid="mail-link">
        {text.mailLinkButton}
      </button>
    </form>
  </details>
);

/**
 * Returns the page that confirms the use of a sign-in link, for a visitor who is signed in as another member
 * or who comes from another website. An attacker could send a link to their own account.
 */
export const followLinkPage = ({
  csrf,
  token,
  signedIn,
  leadsTo,
}: {
  csrf: string;
  token: string;
  /** Null for a visitor who is not signed in. */
  signedIn: { memberName: string; merchantName: string } | null;
  /** The merchant whose dashboard the link opens. */
  leadsTo: string;
}): string =>
  renderPlainPage(
    text.linkTitle,
    <form method="post" action={`/dashboard/link/${token}`} class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>
        {signedIn === null
          ? text.linkFromSite(leadsTo)
          : text.linkWhileSignedIn(signedIn.memberName, signedIn.merchantName, leadsTo)}{' '}
        {text.linkWarning}
      </p>
      <button type="submit" class="btn" data-testid="follow-link">
        {text.followLink}
      </button>
      {signedIn === null ? (
        <a class="btn" data-variant="outline" href="/dashboard/sign-in">
          {text.staySignedOut}
        </a>
      ) : (
        <a class="btn" data-variant="outline" href="/dashboard/sandbox">
          {text.staySignedIn}
        </a>
      )}
    </form>,
  );

/** Returns the page on which a member of several merchants chooses one. */
export const chooseMerchantPage = ({
  csrf,
  members,
}: {
  csrf: string;
  members: readonly { id: string; name: string; merchantName: string }[];
}): string =>
  renderPlainPage(
    text.chooseTitle,
    <form method="post" action="/dashboard/sign-in/oidc/choose" class="fields">
      <input type="hidden" name="csrf" value={csrf} />
      <p>{text.chooseText}</p>
      {members.map(({ id, name, merchantName }) => (
        <button key={id} type="submit" class="btn choice" data-variant="outline" name="member" value={id}>
          <strong>{merchantName}</strong>
          <small>{text.chooseAs(name)}</small>
        </button>
      ))}
    </form>,
  );
