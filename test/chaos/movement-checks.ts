import type { Ledger } from './ledger.ts';
import type { Observations } from './observations.ts';
import type { DisputeRow, MovementRow, PaymentRow } from './rows.ts';
import type { Report } from './violation.ts';

const takings = ['captured', 'late'];
const refunds = ['refunded', 'refund_failed'];
const withdrawals = ['disputed', 'dispute_won', 'dispute_lost'];

/**
 * Checks I29: movements, rows and network agree about a payment. The amounts taken, refunded and withdrawn by
 * disputes equal the network's, and no money is in two movements.
 */
export function checkMovements(observations: Observations, payment: PaymentRow, report: Report): void {
  const { id, refundedCents } = payment;
  const own = observations.movements.filter(({ paymentId }) => paymentId === id);
  const moved = (types: readonly string[]): number => sum(own.filter(({ type }) => types.includes(type)));
  const compare = (what: string, booked: number, there: number): void => {
    if (booked !== there) report('I29', id, `movements ${what} ${booked}, and ${there} is right`);
  };
  const charges = observations.ledgers.get(id) ?? [];
  compare('took', moved(takings), sum(charges.filter(({ status }) => status === 'captured')));
  const returned = observations.ledgerRefunds.filter(
    ({ paymentId, status }) => paymentId === id && status === 'succeeded',
  );
  compare('refunded', -moved(refunds), sum(returned));
  compare('refunded, of the row,', -moved(refunds), refundedCents);
  const disputes = observations.networkDisputes.filter(({ paymentId }) => paymentId === id);
  const withdrawn = disputes.filter((dispute) =>
    isWithdrawn(
      dispute,
      observations.disputes.find(({ reference }) => reference === dispute.disputeId),
    ),
  );
  compare('withdrew', -moved(withdrawals), sum(withdrawn));
  const once = own.filter(({ disputeId }) => disputeId === null).map(nameOf);
  const twice = once.filter((name, index) => once.indexOf(name) !== index);
  for (const name of twice) report('I29', id, `${name} is in two movements`);
}

const sum = (all: readonly { amountCents: number }[]): number =>
  all.reduce((total, { amountCents }) => total + amountCents, 0);

/**
 * Names a movement. Equal names are duplicates: a charge's takings, a refund's movements of one kind, one fee
 * of the network.
 */
const nameOf = ({ type, refundId, providerReference }: MovementRow): string =>
  takings.includes(type) ? `charge ${providerReference}` : `${type} ${refundId ?? providerReference}`;

/** Returns whether a dispute holds its amount. An inquiry does not, unless it is lost. */
function isWithdrawn({ status, stage }: Ledger['disputes'][number], row: DisputeRow | undefined): boolean {
  if (status === 'won' || status === 'withdrawn') return false;
  return status === 'lost' || (stage ?? row?.stage) !== 'inquiry';
}
