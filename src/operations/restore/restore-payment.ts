import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import { randomBase62, randomUrlSecret } from '../../crypto/secrets.ts';
import { type EndedAttempt, loadKnownAttempts, restoreAttemptRows } from '../../db/payments/lost-attempts.ts';
import { scheduleEndedRuns } from '../../db/payments/payment-checks.ts';
import { insertRestoredPayment } from '../../db/payments/restored-payments.ts';
import { inTransaction } from '../../db/server/database.ts';
import { attemptKey } from '../../domain/payment.ts';
import type { ListedCharge } from '../../providers/listings.ts';
import type { PaymentWorkflowInput } from '../../temporal/contract/payment.ts';
import { type LostPayment, type RestoreDeps, attemptNoOf } from './find-lost.ts';

export interface WriteDeps extends RestoreDeps {
  keyring: Keyring;
  publicUrl: string;
  checkoutDeadlineSeconds: number;
  idempotencyRetentionSeconds: number;
}

/** Fields of a payment that neither Temporal nor the network knows. */
const alwaysUnknown = ['customer', 'metadata', 'description', 'lineItems', 'checkoutUrl'] as const;

/** A payment cannot be restored; `message` gives the reason. */
export class NotRestorable extends Error {}

/**
 * Restores a payment under its id from its workflow's input and its charges, with its attempts. The run that
 * resumes reads their outcomes from the network. A payment that has a row keeps it. Returns the names of the
 * unknown fields. Throws `NotRestorable`, and the network's errors.
 */
export async function restorePayment(deps: WriteDeps, lost: LostPayment): Promise<string[]> {
  const input = await deps.runs.inputOf(lost.id);
  const notKnown = await insertRow(deps, lost, input);
  await restoreAttempts(deps, lost);
  return notKnown;
}

/** Inserts the payment's row, unless it has one. Returns the names of the unknown fields. */
async function insertRow(
  deps: WriteDeps,
  { id, owner, charges }: LostPayment,
  input: PaymentWorkflowInput | null,
): Promise<string[]> {
  const { database, keyring } = deps;
  const [charge] = charges;
  const merchantId = input?.merchantId ?? owner?.merchantId;
  const environment = input?.environment ?? owner?.environment;
  const amountCents = input?.amountCents ?? charge?.amountCents;
  if (merchantId === undefined || environment === undefined || amountCents === undefined) {
    throw new NotRestorable('neither its workflow nor a charge shows its merchant and amount');
  }
  const createdAtMs = timeOf(id) ?? charge?.createdAtMs ?? deps.now();
  const expiresAtMs = input?.expiresAtMs ?? createdAtMs + deps.checkoutDeadlineSeconds * 1_000;
  const creation = input?.creation;
  const carried = charges.find((one) => one.creation !== null)?.creation ?? null;
  const reference = creation?.reference ?? carried?.reference;
  const keyHash = creation?.keyHash ?? carried?.keyHash ?? null;
  const methods = new Set(charges.flatMap(({ method }) => method ?? []));
  const token = randomUrlSecret();
  const url = `${deps.publicUrl}/c/${token}`;
  const expiresAt = new Date(expiresAtMs);
  const mode = input?.mode ?? 'hosted';
  const payment = {
    id,
    merchantId,
    environment,
    checkoutMode: mode,
    reference: reference ?? `restored-${id}`,
    amountCents,
    successUrl: creation?.successUrl ?? deps.publicUrl,
    cancelUrl: creation?.cancelUrl ?? deps.publicUrl,
    offeredMethods: methods.size === 0 || mode === 'custom' ? (['card'] as const).slice() : [...methods],
    checkoutUrlSealed: keyring.seal(
      JSON.stringify({ url, expiresAt: expiresAt.toISOString() }),
      sealContext.checkoutUrl(id),
    ),
    checkoutTokenHash: keyring.lookupHash(hashPurposes.checkoutToken, token),
    vaultId: `cap_${randomBase62(24)}`,
    createdAt: new Date(createdAtMs),
    expiresAt,
    captureExpiresAt: mode === 'hosted' ? expiresAt : new Date(input?.captureEndsAtMs ?? expiresAtMs),
    connectorId: creation === undefined ? (owner?.connectorId ?? null) : creation.connectorId,
    creationKeyHash: keyHash === null ? null : Buffer.from(keyHash, 'hex'),
  };
  const keyExpiresAt = new Date(deps.now() + deps.idempotencyRetentionSeconds * 1_000);
  await inTransaction(database, (transaction) => insertRestoredPayment(transaction, payment, keyExpiresAt));
  return [
    ...alwaysUnknown,
    ...(reference === undefined ? ['reference'] : []),
    ...(creation === undefined ? ['successUrl', 'cancelUrl'] : []),
    ...(input === null ? ['checkoutMode', 'expiresAt'] : []),
    ...(keyHash === null ? ['Idempotency-Key'] : []),
  ];
}

/**
 * Restores the attempts that the network charged. The captured one, or else the latest, is stored as claimed
 * and unknown, so that a run queries it. The others are stored with their ends at the network. Schedules a
 * check of the payment now.
 */
export async function restoreAttempts(deps: WriteDeps, { id, charges, owner }: LostPayment): Promise<void> {
  const { database, connectors } = deps;
  const numbered = charges
    .flatMap((charge) => {
      const attemptNo = attemptNoOf(charge);
      return attemptNo === null ? [] : [{ attemptNo, charge }];
    })
    .toSorted((one, other) => one.attemptNo - other.attemptNo);
  const rows = await loadKnownAttempts(database, id);
  if (owner !== null && numbered.length > 0 && rows !== null && !rows.isFinal) {
    const { network } = await connectors.portsOf(owner);
    const last = numbered.find(({ charge }) => charge.status === 'captured') ?? numbered.at(-1) ?? null;
    const ended: EndedAttempt[] = [];
    const referenceOf = (charge: ListedCharge) => (network.findPrepared === null ? null : charge.reference);
    for (const { attemptNo, charge } of numbered) {
      if (attemptNo === last?.attemptNo) continue;
      const providerReference = referenceOf(charge);
      const found = await network.lookup({
        ...{ key: attemptKey(id, attemptNo), paymentId: id, providerReference },
        ...{ merchantId: owner.merchantId, environment: owner.environment, amountCents: charge.amountCents },
      });
      const status = found?.status === 'declined' || found?.status === 'failed' ? found.status : 'voided';
      ended.push({
        ...{ attemptNo, status, providerReference, card: found?.card ?? null },
        ...{ failureCode: found?.failureCode ?? null, failureMessage: found?.message ?? null },
      });
    }
    await restoreAttemptRows(database, {
      paymentId: id,
      open: last && { attemptNo: last.attemptNo, providerReference: referenceOf(last.charge) },
      ended,
      unsent: [],
      method: last?.charge.method ?? null,
      seq: 0,
      stateSeq: rows.stateSeq,
    });
  }
  await scheduleEndedRuns(database, [id], new Date(deps.now()));
}

/** Returns when a UUID of version 7 was made, in epoch ms; null: another version. Pure. */
function timeOf(id: string): number | null {
  return id[14] === '7' ? Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) : null;
}
