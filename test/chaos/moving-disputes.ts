import type { Change, DisputeMove } from './change-plan.ts';
import { type NetworkContext, pause, untilFound } from './changes.ts';
import { type Ledger, readLedger } from './ledger.ts';
import { chargeThatPaid } from './made.ts';
import { paymentsSince } from './rows.ts';

type Moving = Extract<Change, { kind: 'moving-disputes' }>;

/** How long to search for paid payments, in ms. */
const findWithinMs = 8_000;
const daySeconds = 86_400;

/** The reason that only these disputes have. */
export const movedReason = 'general';

/** Opens an inquiry for some paid payments, and changes it as networks do. */
export async function moveDisputes(change: Moving, context: NetworkContext): Promise<void> {
  const { stack, since, made } = context;
  const moving: Promise<void>[] = [];
  await untilFound(
    async () => {
      for (const id of await paymentsSince(stack.databaseUrl, since)) {
        if (made.disputed.has(id) || made.disputed.size >= change.payments) continue;
        const ledger = await readLedger(stack, id);
        const paid = chargeThatPaid(ledger, made);
        // A dispute that the card or the client opened is checked separately.
        if (!paid || ledger.refunds.length > 0 || ledger.disputes.length > 0) continue;
        made.disputed.add(id);
        // An order that the network refuses ends the moves. The moves before it are judged.
        const moved = moveOne(id, paid, change, context);
        moving.push(moved.catch((error: unknown) => context.note(`not moved: ${String(error)}`)));
      }
      return made.disputed.size >= change.payments ? true : null;
    },
    findWithinMs,
    context,
    250,
  );
  await Promise.all(moving);
}

async function moveOne(
  id: string,
  charge: Ledger['charges'][number],
  { moves, pauseMs }: Moving,
  context: NetworkContext,
): Promise<void> {
  const { stack, note } = context;
  const words = stack.network === 'stripe' ? stripeWords : networkWords;
  await stack.simulateAtNetwork(...words.open(id, charge));
  const found = await untilFound(
    async () => (await readLedger(stack, id)).disputes.find(({ reason }) => reason === movedReason),
    findWithinMs,
    context,
  );
  if (!found) return;
  const { disputeId } = found;
  const order = (body: object): Promise<void> => stack.simulateAtNetwork(words.change(disputeId), body);
  for (const move of moves) {
    await pause(pauseMs, context);
    note(`dispute ${disputeId}: ${move}`);
    if (move === 'unknownStatus') {
      const before = (await readLedger(stack, id)).disputes.find((each) => each.disputeId === disputeId);
      await order({ status: 'of_tomorrow' });
      await pause(pauseMs, context);
      await order({ status: before?.status ?? found.status });
    } else if (move === 'otherCurrency') {
      await order({ currency: words.currency('EUR') });
      await pause(pauseMs, context);
      await order({ currency: words.currency('USD') });
    } else await order(words[move](charge.amountCents));
  }
}

/** The order to the network, by move. */
interface Words extends Record<
  Exclude<DisputeMove, 'unknownStatus' | 'otherCurrency'>,
  (amountCents: number) => object
> {
  open: (paymentId: string, charge: Ledger['charges'][number]) => [path: string, body: object];
  change: (disputeId: string) => string;
  currency: (code: string) => string;
}

const moves = {
  dueLater: () => ({ dueInSeconds: 9 * daySeconds }),
  otherAmount: (amountCents: number) => ({ amountCents: Math.ceil(amountCents * 0.8) }),
  won: () => ({ status: 'won' }),
  lost: () => ({ status: 'lost' }),
};

const networkWords: Words = {
  ...moves,
  open: (paymentId) => [
    '/v1/simulate/disputes',
    { paymentId, reason: movedReason, stage: 'inquiry', dueInSeconds: 3 * daySeconds },
  ],
  change: (disputeId) => `/v1/simulate/disputes/${disputeId}/change`,
  chargeback: () => ({ stage: 'chargeback', dueInSeconds: 20 * daySeconds }),
  currency: (code) => code,
};

const stripeWords: Words = {
  ...moves,
  open: (_paymentId, { chargeId }) => [
    '/simulate/disputes',
    { charge: chargeId, reason: movedReason, inquiry: true, dueInSeconds: 3 * daySeconds },
  ],
  change: (disputeId) => `/simulate/disputes/${disputeId}/change`,
  chargeback: () => ({ status: 'needs_response', dueInSeconds: 20 * daySeconds }),
  currency: (code) => code.toLowerCase(),
};
