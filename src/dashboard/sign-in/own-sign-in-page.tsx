import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { Field, Form } from '../parts/fields.tsx';
import { Card, Table, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

export interface PasskeyLine {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** How whoever looks signs in: their passkeys, and the way to a password. */
export function OwnSignIn({
  frame,
  passkeys,
  provider,
}: {
  frame: Frame;
  passkeys: readonly PasskeyLine[];
  /** Name of the identity provider, where it knows who looks. */
  provider: string | null;
}) {
  const path = `${frame.base}/team`;
  const leaving = passkeys.find(({ id }) => isRequested(frame, 'remove-passkey', id));
  return (
    <Card title="How you sign in">
      {leaving === undefined ? null : (
        <Confirmation
          frame={frame}
          question={`Remove the passkey ${leaving.name}?`}
          to={`${path}/passkeys/remove`}
          fields={{ id: leaving.id }}
          yes={`Yes, remove ${leaving.name}`}
          back={path}
        >
          It signs you in no more.{' '}
          {passkeys.length > 1
            ? 'Your other passkeys do.'
            : 'It is your only one: without a password or another way, only a new link lets you in.'}
        </Confirmation>
      )}
      {passkeys.length === 0 ? (
        <p class="quiet-text">
          {provider === null
            ? 'Add a passkey now: without one, or a password, only another link lets you in once you are signed out.'
            : `You sign in with ${provider}. A passkey lets you in while that does not answer, too.`}
        </p>
      ) : (
        <Table
          label="Passkeys"
          rows={passkeys}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Passkey', cell: ({ name }) => name },
            { head: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} frame={frame} /> },
            {
              head: '',
              end: true,
              cell: ({ id, name }) => (
                <ConfirmLink path={path} act="remove-passkey" id={id} label={`Remove ${name}`} danger>
                  Remove
                </ConfirmLink>
              ),
            },
          ]}
        />
      )}
      <Form
        frame={frame}
        to={`${frame.base}/team/passkeys`}
        class="row"
        data-passkey="create"
        data-options={`${frame.base}/team/passkeys/options`}
      >
        <input type="hidden" name="credential" value="" />
        <Field
          label="Name of the new passkey"
          id="passkey-name"
          name="name"
          maxLength={80}
          placeholder="Laptop"
        />
        <button type="submit" data-testid="passkey-add">
          Add a passkey
        </button>
      </Form>
      <p>
        <a href={`${frame.base}/team/password`}>Set a password with an authenticator app</a>
      </p>
    </Card>
  );
}
