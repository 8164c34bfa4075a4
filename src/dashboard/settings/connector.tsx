import { type ConnectorKind, capabilitiesOf } from '../../domain/connector.ts';
import { money, labelOf } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { Card, Facts, Status, Time } from '../parts/parts.tsx';
import type { Frame } from '../parts/view.ts';

/** What a merchant's payments go to, without credentials. */
export interface ConnectorView {
  kind: ConnectorKind;
  account: string;
  checkedAt: Date | null;
  changedAt: Date;
  /** Whether the hosted checkout page takes its cards. */
}

/** What the provider says the account may do. */
export interface ConnectorCheck {
  charges: boolean;
  cards: boolean;
  payouts: boolean;
}

const kinds: Readonly<Record<ConnectorKind, string>> = { stripe: 'Stripe, with cards in PCI Vault' };

/** The vault and network of this environment, and how they are changed. */
export function ConnectorCard({
  frame,
  merchantId,
  connector,
  simulated,
  check,
}: {
  frame: Frame;
  merchantId: string;
  /** Null: none of the merchant's own. */
  connector: ConnectorView | null;
  /** Whether payments go to the simulators where there is none. */
  simulated: boolean;
  check: ConnectorCheck | null;
}) {
  const command = `admin connector set --merchant ${merchantId} --environment ${frame.environment} --kind stripe …`;
  return (
    <Card title="Payment provider" aside={<Status of={connector || simulated ? 'active' : 'missing'} />}>
      {connector === null ? (
        <p class="quiet-text">
          {simulated
            ? 'Payments go to the simulators: no money moves.'
            : 'Payments are refused until this account has a payment provider.'}
        </p>
      ) : (
        <Connector frame={frame} connector={connector} check={check} />
      )}
      <p class="quiet-text">
        Credentials are given by whoever runs this service: <code>{command}</code>
      </p>
    </Card>
  );
}

function Connector({
  frame,
  connector,
  check,
}: {
  frame: Frame;
  connector: ConnectorView;
  check: ConnectorCheck | null;
}) {
  const takes = capabilitiesOf(connector.kind);
  return (
    <>
      <Facts
        of={[
          ['Provider', kinds[connector.kind]],
          ['Account', <code>{connector.account}</code>],
          ['Methods', takes === null ? 'All' : takes.methods.map(labelOf).join(', ')],
          [
            'Amounts',
            takes === null ? 'All' : `${money(takes.minimumCents)} to ${money(takes.maximumCents)}`,
          ],
          ['Credentials changed', <Time at={connector.changedAt} frame={frame} />],
          ['Checked by the operator', <Time at={connector.checkedAt} frame={frame} />],
        ]}
      />
      {check === null ? null : (
        <p class={`notice ${check.charges && check.cards ? 'good' : 'bad'}`} role="status">
          The provider took the credentials just now. Charges: {yes(check.charges)}, cards: {yes(check.cards)}
          , payouts: {yes(check.payouts)}.
        </p>
      )}
      {frame.may('settings') ? (
        <div class="actions">
          <Form frame={frame} to={`${frame.base}/settings/connector/check`}>
            <button type="submit" class="quiet" data-testid="connector-check">
              Check now
            </button>
          </Form>
        </div>
      ) : null}
    </>
  );
}

const yes = (can: boolean): string => (can ? 'yes' : 'no');
