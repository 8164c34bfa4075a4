import { Form } from '../parts/fields.tsx';
import { Card } from '../parts/parts.tsx';
import { PasswordFields } from './password-page.tsx';
import { withMarkup } from '../parts/with-markup.ts';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.signIn;

/** The page on which a member confirms their identity, needed ten minutes after the last time. */
export function ConfirmPage({
  frame,
  to,
  back,
  hasPasskey,
  hasPassword,
  provider,
}: {
  frame: Frame;
  to: string;
  /** The page to return to without confirming. */
  back: string;
  hasPasskey: boolean;
  hasPassword: boolean;
  /** Name of the identity provider, if it can sign the member in. */
  provider: string | null;
}) {
  return (
    <Card title={text.confirmText}>
      {hasPasskey ? (
        <Form
          frame={frame}
          to={`${frame.base}/confirm/passkey`}
          data-passkey="get"
          data-options={`${frame.base}/confirm/options`}
        >
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="back" value={back} />
          <input type="hidden" name="credential" value="" />
          <button type="submit" class="btn" data-testid="passkey-confirm">
            {text.confirmPasskey}
          </button>
        </Form>
      ) : null}
      {hasPassword ? (
        <Form frame={frame} to={`${frame.base}/confirm/password`} class="fields">
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="back" value={back} />
          <PasswordFields />
          <div class="actions">
            <button type="submit" class="btn">
              {text.confirmButton}
            </button>
          </div>
        </Form>
      ) : null}
      {provider === null ? null : (
        <p>
          <a
            class="btn"
            data-variant="outline"
            href={`/dashboard/sign-in/oidc?again=1&to=${encodeURIComponent(to)}`}
          >
            {text.confirmProvider(provider)}
          </a>
        </p>
      )}
      {to.includes('/continue?') ? <p class="quiet-text">{text.confirmContinues}</p> : null}
      {hasPasskey || hasPassword || provider !== null ? null : (
        <p>{withMarkup(text.confirmByLink, { team: <a href={`${frame.base}/team`}>{text.team}</a> })}</p>
      )}
      <p>
        <a class="btn" data-variant="outline" href={back} data-close>
          {texts.common.goBack}
        </a>
      </p>
    </Card>
  );
}
