import type { Change } from './change-plan.ts';
import { type ChangeContext, pause, untilFound } from './changes.ts';
import { readLedger } from './ledger.ts';
import { paymentsSince } from './rows.ts';

/** How long declined charges are looked for, in ms. */
const lookMs = 7_000;

/** Has the network capture charges that it declined; its callback goes out. */
export async function captureDeclined(
  { charges, afterMs }: Extract<Change, { kind: 'capture-after-decline' }>,
  context: ChangeContext,
): Promise<void> {
  const { stack, since, made, note } = context;
  const captures: Promise<void>[] = [];
  const chosen = new Set<string>();
  const capture = async (attemptId: string, chargeId: string): Promise<void> => {
    await pause(afterMs, context);
    // Before the order: it may have its effect and no answer.
    made.capturedLate.add(attemptId);
    note(`the network captures ${attemptId}, which it declined`);
    await stack.orderNetwork(...captureOrder(stack.network, attemptId, chargeId));
  };
  await untilFound(
    async () => {
      for (const id of await paymentsSince(stack.databaseUrl, since)) {
        for (const { attemptId, chargeId, status } of (await readLedger(stack, id)).charges) {
          if (status !== 'declined' || chosen.has(attemptId) || chosen.size >= charges) continue;
          chosen.add(attemptId);
          captures.push(capture(attemptId, chargeId));
        }
      }
      return chosen.size >= charges ? true : null;
    },
    lookMs,
    context,
    250,
  );
  await Promise.all(captures);
}

const captureOrder = (network: string, attemptId: string, chargeId: string): [string, object] =>
  network === 'stripe'
    ? [`/simulate/charges/${chargeId}/capture`, {}]
    : [`/v1/simulate/charges/${encodeURIComponent(attemptId)}`, { outcome: 'captured' }];
