import { Confirmation, ConfirmLink, isRequested } from '../parts/confirmation.tsx';
import { Field, Form } from '../parts/fields.tsx';
import { inZone } from '../parts/list.tsx';
import { Card, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.signIn;

export interface PasskeyLine {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The member's own passkeys, and the link to a password. */
export function OwnSignIn({
  frame,
  passkeys,
  provider,
}: {
  frame: Frame;
  passkeys: readonly PasskeyLine[];
  /** Name of the identity provider, if it can sign the member in. */
  provider: string | null;
}) {
  const path = `${frame.base}/team`;
  const removing = passkeys.find(({ id }) => isRequested(frame, 'remove-passkey', id));
  return (
    <Card title={text.ownTitle} id="sign-in">
      {removing === undefined ? null : (
        <Confirmation
          frame={frame}
          question={text.removeQuestion(removing.name)}
          to={`${path}/passkeys/remove`}
          fields={{ id: removing.id }}
          yes={text.removeConfirm(removing.name)}
          back={path}
        >
          {passkeys.length > 1 ? text.removeText : text.removeLastText}
        </Confirmation>
      )}
      {passkeys.length === 0 ? (
        <p class="quiet-text">{provider === null ? text.noPasskey : text.noPasskeyWithProvider(provider)}</p>
      ) : (
        <Table
          label={text.passkeys}
          rows={passkeys}
          rowKey={({ id }) => id}
          columns={[
            { head: text.passkey, cell: ({ name }) => name },
            {
              ...inZone(text.lastUsed, frame),
              cell: ({ lastUsedAt }) => <Time at={lastUsedAt} frame={frame} />,
            },
            {
              head: '',
              end: true,
              cell: ({ id, name }) => (
                <ConfirmLink path={path} act="remove-passkey" id={id} label={text.removeLabel(name)} danger>
                  {text.remove}
                </ConfirmLink>
              ),
            },
          ]}
        />
      )}
      <PasskeyForm frame={frame} />
      <p>
        <a href={`${frame.base}/team/password`}>{text.setPasswordLink}</a>
      </p>
    </Card>
  );
}

/** The form that adds a passkey. `leadsHome`: whether the home page follows, not the team's. */
const PasskeyForm = ({ frame, leadsHome = false }: { frame: Frame; leadsHome?: boolean }) => (
  <Form
    frame={frame}
    to={`${frame.base}/team/passkeys`}
    class="row"
    data-passkey="create"
    data-options={`${frame.base}/team/passkeys/options`}
  >
    <input type="hidden" name="credential" value="" />
    {leadsHome ? <input type="hidden" name="then" value="home" /> : null}
    <Field
      label={text.passkeyName}
      id="passkey-name"
      name="name"
      maxLength={80}
      placeholder={text.passkeyPlaceholder}
    />
    <button type="submit" class="btn" data-testid="passkey-add">
      {text.addPasskey}
    </button>
  </Form>
);

/** The path of the page to which the first sign-in leads. */
export const firstPasskeyPath = '/first-passkey';

/** The page of a member's first sign-in: it adds a passkey, or leads to the home page. */
export const FirstPasskeyPage = ({ frame }: { frame: Frame }) => (
  <Card title={text.firstPasskeyWhy}>
    <p class="quiet-text">{text.firstPasskeyText}</p>
    <PasskeyForm frame={frame} leadsHome />
    <p>
      <a href={frame.base} data-testid="passkey-later">
        {text.notNow}
      </a>
    </p>
  </Card>
);
