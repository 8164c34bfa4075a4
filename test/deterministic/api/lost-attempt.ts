import type { ClientPlan } from '../../chaos/plan.ts';
import { type Snapshot, restore, snapshotReader } from '../../chaos/put-back.ts';
import { withDatabase } from '../../chaos/rows.ts';
import { databaseUrl } from '../simulated-postgres.ts';
import type { Caller } from './caller.ts';
import { captureCard, createPayment, payWith, untilCheckout } from './scene-payment.ts';

/** Cards that are paid, declined, and answered with a step of the customer. */
const cards = ['4242424242424242', '4000000000000002', '4000000000003220'] as const;
const putBackFault = 'rows put back during a charge';

/**
 * Plays a database that loses its last commits while a charge is at the network: the attempt has no row when
 * its answer arrives, and the network reports a charge that no row knows.
 */
export async function loseAttempt(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, context } = caller;
  const { world, scheduler, made } = context;
  const created = await createPayment(caller, { amountCents, isCustom: true });
  if (created === null || !scheduler.allows(putBackFault)) return;
  const { id } = created;
  const card = await captureCard(caller, id, random.pick(cards));
  if (card === null) return;
  const before = await readRows(id);
  const forget = world.network.meanwhile.add({
    request: new RegExp(`^POST /v1/charges ${id}:1$`),
    when: 'after',
    happens: async () => {
      scheduler.met(putBackFault);
      made.putBack.set(id, Date.now());
      await restore({ stack: { databaseUrl } }, id, before);
      // Reads and answers from the rows before this time no longer count.
      made.putBack.set(id, Date.now());
    },
  });
  await payWith(caller, id, card);
  forget();
  await untilCheckout(caller, id, ['paid', 'failed_retryable', 'requiresAction', 'expired']);
}

const readRows = (id: string): Promise<Snapshot> =>
  withDatabase(databaseUrl, async (database) => (await snapshotReader(database, id))());
