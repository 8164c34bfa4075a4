import { type ConnectorKind, capabilitiesOf } from '../../domain/connector.ts';
import type { PaymentMethod } from '../../domain/statuses.ts';
import { labelOf, money } from '../parts/format.ts';
import { Form } from '../parts/fields.tsx';
import { Card, Facts, Status, Time } from '../parts/parts.tsx';
import { Copied } from '../parts/copied.tsx';
import type { Frame } from '../parts/view.ts';
import { texts } from '../texts/en.ts';

const text = texts.settings;

/** A merchant's payment provider, without credentials. */
export interface ConnectorView {
  kind: ConnectorKind;
  account: string;
  checkedAt: Date | null;
  changedAt: Date;
}

/** The capabilities that the provider grants the account. */
export interface ConnectorCheck {
  charges: boolean;
  cards: boolean;
  payouts: boolean;
}

const providers: Readonly<Record<ConnectorKind, string>> = text.providers;

/** The payment provider of this environment, and how to change it. */
export function ConnectorCard({
  frame,
  merchantId,
  connector,
  simulated,
  working,
  check,
}: {
  frame: Frame;
  merchantId: string;
  /** Null when the merchant has none. */
  connector: ConnectorView | null;
  /** Whether payments are simulated when the merchant has no provider. */
  simulated: boolean;
  /** The methods with which customers can pay. */
  working: readonly PaymentMethod[];
  check: ConnectorCheck | null;
}) {
  const command = `admin connector set --merchant ${merchantId} --environment ${frame.environment} --kind stripe …`;
  return (
    <Card
      title={text.sections.provider}
      id="provider"
      aside={<Status of={connector ? 'active' : simulated ? 'simulated' : 'missing'} />}
    >
      {connector === null ? (
        <p class="quiet-text">{simulated ? text.simulated : text.notConnected}</p>
      ) : (
        <Connector frame={frame} connector={connector} working={working} check={check} />
      )}
      <p class="quiet-text">{connector === null ? text.connect : text.changeCredentials}</p>
      <details>
        <summary>{text.forOperators}</summary>
        <Copied value={command}>
          <code>{command}</code>
        </Copied>
      </details>
    </Card>
  );
}

function Connector({
  frame,
  connector,
  working,
  check,
}: {
  frame: Frame;
  connector: ConnectorView;
  working: readonly PaymentMethod[];
  check: ConnectorCheck | null;
}) {
  const takes = capabilitiesOf(connector.kind);
  return (
    <>
      <Facts
        of={[
          [text.providerName, providers[connector.kind]],
          [text.account, <code>{connector.account}</code>],
          [text.methods, working.map(labelOf).join(', ')],
          [
            text.amounts,
            takes === null
              ? text.all
              : text.amountRange(money(takes.minimumCents), money(takes.maximumCents)),
          ],
          [text.credentialsChanged, <Time at={connector.changedAt} frame={frame} />],
          [text.checkedByOperator, <Time at={connector.checkedAt} frame={frame} />],
        ]}
      />
      {check === null ? null : (
        <p class={`alert notice ${check.charges && check.cards ? 'good' : 'bad'}`} role="status">
          {text.checked(yesOrNo(check.charges), yesOrNo(check.cards), yesOrNo(check.payouts))}
        </p>
      )}
      {frame.may('settings') ? (
        <div class="actions">
          <Form frame={frame} to={`${frame.base}/settings/connector/check`}>
            <button type="submit" class="btn" data-variant="outline" data-testid="connector-check">
              {text.checkNow}
            </button>
          </Form>
        </div>
      ) : null}
    </>
  );
}

const yesOrNo = (allowed: boolean): string => (allowed ? text.yes : text.no);
