import { Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import { PasswordFields } from './password-page.tsx';
import type { Frame } from '../parts/view.ts';

/** Asks a member to show who they are, ten minutes after they did. */
export function ConfirmPage({
  frame,
  to,
  hasPasskey,
  hasPassword,
  provider,
}: {
  frame: Frame;
  to: string;
  hasPasskey: boolean;
  hasPassword: boolean;
  /** Name of the identity provider, where it knows the member. */
  provider: string | null;
}) {
  return (
    <Card title="Keys, settings, members and large refunds ask again after ten minutes">
      {hasPasskey ? (
        <Form
          frame={frame}
          to={`${frame.base}/confirm/passkey`}
          data-passkey="get"
          data-options={`${frame.base}/confirm/options`}
        >
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="credential" value="" />
          <button type="submit" data-testid="passkey-confirm">
            Use your passkey
          </button>
        </Form>
      ) : null}
      {hasPassword ? (
        <Form frame={frame} to={`${frame.base}/confirm/password`} class="fields">
          <input type="hidden" name="to" value={to} />
          <PasswordFields />
          <div class="actions">
            <button type="submit">Go on</button>
          </div>
        </Form>
      ) : null}
      {provider === null ? null : (
        <p>
          <a class="button quiet" href={`/dashboard/sign-in/oidc?again=1&to=${encodeURIComponent(to)}`}>
            Sign in with {provider} again
          </a>
        </p>
      )}
      {hasPasskey || hasPassword || provider !== null ? null : (
        <p>
          You have neither a passkey nor a password yet. Sign in once more with a new link, which counts for
          ten minutes, and add a passkey under <a href={`${frame.base}/team`}>Team</a>. Whoever runs this
          service makes the link: <code>admin dashboard link --merchant …</code>
        </p>
      )}
    </Card>
  );
}
