import { Card, Form } from '../parts.tsx';
import type { Frame } from '../view.ts';

/** Asks a member to show who they are, ten minutes after they did. */
export function ConfirmPage({ frame, to, hasPasskey }: { frame: Frame; to: string; hasPasskey: boolean }) {
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
      {hasPasskey ? null : (
        <p>
          You have no passkey yet. Sign in once more with a new link, which counts for ten minutes, and add a
          passkey under <a href={`${frame.base}/team`}>Team</a>. Whoever runs this service makes the link:{' '}
          <code>admin dashboard link --merchant …</code>
        </p>
      )}
    </Card>
  );
}
