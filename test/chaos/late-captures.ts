import { z } from 'zod';
import type { Change } from './change-plan.ts';
import { type NetworkContext, pause, untilFound } from './changes.ts';
import { readLedger } from './ledger.ts';
import { paymentsSince } from './rows.ts';

/** How long to search for declined charges, in ms. */
const findWithinMs = 7_000;

/** Orders the network to capture charges that it declined; its callback is sent. */
export async function captureDeclined(
  { charges, afterMs }: Extract<Change, { kind: 'capture-after-decline' }>,
  context: NetworkContext,
): Promise<void> {
  const { stack, since, made, note } = context;
  const captures: Promise<void>[] = [];
  const chosen = new Set<string>();
  const capture = async (attemptId: string, chargeId: string): Promise<void> => {
    await pause(afterMs, context);
    // Recorded before the order, which may have its effect without an answer.
    made.capturedLate.add(attemptId);
    note(`the network captures ${attemptId}, which it declined`);
    try {
      await stack.simulateAtNetwork(...(await captureOrder(stack, attemptId, chargeId)));
    } catch {
      // It had its effect without an answer, or the charge was voided in the meantime.
      note(`the network took no order to capture ${attemptId}`);
    }
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
    findWithinMs,
    context,
    250,
  );
  await Promise.all(captures);
}

/** Returns the order that lets the network capture a charge that it declined. */
export async function captureOrder(
  { network, networkUrl, networkKey }: NetworkContext['stack'],
  attemptId: string,
  chargeId: string,
): Promise<[path: string, body: object]> {
  if (network !== 'stripe') {
    return [`/v1/simulate/charges/${encodeURIComponent(attemptId)}`, { outcome: 'captured' }];
  }
  // An intent that failed before it had a charge is listed by its own id.
  if (chargeId.startsWith('pi_')) return [`/simulate/payment_intents/${chargeId}/capture`, {}];
  const response = await fetch(`${networkUrl}/v1/charges/${chargeId}`, {
    headers: { authorization: `Bearer ${networkKey}` },
  });
  const { payment_intent: intentId } = ofIntent.parse(await response.json());
  return [`/simulate/payment_intents/${intentId}/capture`, {}];
}

const ofIntent = z.object({ payment_intent: z.string() });
