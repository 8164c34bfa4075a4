import type { Call } from '../../chaos/history.ts';
import { readLedger } from '../../chaos/ledger.ts';
import type { ClientPlan } from '../../chaos/plan.ts';
import type { Caller } from './caller.ts';
import { orderAtNetwork, orderFor, paidPayment } from './scene-payment.ts';
import { answerWrongly } from './wrong-orders.ts';

/** Why these disputes are opened. Those of the clients that pay have another reason, and are counted. */
const reason = 'duplicate';
const daySeconds = 86_400;

/** How a shop and its network deal with one dispute, with relative frequencies. */
const ways = [
  ['submitted by the service', 4],
  ['reminded of', 3],
  ['decided before the answer', 3],
  ['due before the answer', 3],
  ['submitted elsewhere before the answer', 2],
  ['answered again', 2],
  ['answered without evidence', 2],
] as const;

/** What the network changes just before the answer of the shop arrives. */
const changesBefore: Partial<Record<(typeof ways)[number][0], readonly object[]>> = {
  'decided before the answer': [{ status: 'won' }, { status: 'lost' }],
  'due before the answer': [{ dueInSeconds: 0 }],
  'submitted elsewhere before the answer': [{ status: 'underReview' }],
};

/** Plays the desk of a shop that answers a dispute, in time or too late. */
export async function deskOfDisputes(caller: Caller, { amountCents }: ClientPlan): Promise<void> {
  const { random, client, context } = caller;
  const id = await paidPayment(caller, amountCents);
  if (id === null) return;
  context.made.disputed.add(id);
  const way = random.weighted(ways);
  const dueInSeconds =
    way === 'reminded of' ? daySeconds + 7 : way === 'submitted by the service' ? 30 : 3 * daySeconds;
  // No bank disputes more than was paid.
  if (random.chance(0.3)) await orderFor(caller, id, 'disputes', { reason, amountCents: amountCents + 1 });
  await orderAtNetwork(caller, '/v1/simulate/disputes', { paymentId: id, reason, dueInSeconds });
  const disputeId = await openedDispute(caller, id);
  if (disputeId === null) return;
  const path = `/v1/disputes/${disputeId}`;
  if (way === 'answered without evidence') await answerWrongly(caller, path, caller.newKey('submit'));
  else if (way === 'submitted by the service') await stage(caller, path, true);
  else if (way !== 'reminded of') await stage(caller, path, false);
  if (way === 'reminded of' || way === 'submitted by the service') await client.pause(14_000, 18_000);
  else await answer(caller, { id, path, changes: changesBefore[way] ?? [] });
  if (way === 'answered again') {
    await send(caller, path, 'submit');
    await stage(caller, path, false);
    await send(caller, path, 'accept');
  }
  const resolve = (outcome: string): Promise<Call | null> =>
    caller.keyed('order', `/v1/sandbox${path.slice(3)}/resolve`, { outcome });
  // Through its stages, and once more than there are.
  if (random.chance(0.3)) for (let stages = 0; stages < 3; stages += 1) await resolve('escalated');
  await resolve(random.pick(['won', 'lost']));
}

/** Returns the payment's dispute as the shop reads it; null when there is none in time. */
async function openedDispute({ client }: Caller, id: string): Promise<string | null> {
  while (!client.isOver) {
    const { items } = await client.get('disputes', `/v1/payments/${id}/disputes`);
    const opened = items.find((each) => each.reason === reason)?.id;
    if (opened !== undefined) return opened;
    await client.pause(100, 500);
  }
  return null;
}

const stage = ({ client }: Caller, path: string, autoSubmit: boolean): Promise<Call | null> =>
  client.callWithRetries({
    ...{ op: 'stage', method: 'PUT', path: `${path}/evidence` },
    body: { evidence: { note: 'it was delivered' }, autoSubmit },
  });

const send = (caller: Caller, path: string, answered: 'submit' | 'accept'): Promise<Call | null> =>
  caller.client.callWithRetries({
    ...{ op: 'answer', method: 'POST', path: `${path}/${answered}`, key: caller.newKey(answered) },
  });

/** Answers a dispute, which one of the changes reaches at the network just before. */
async function answer(
  caller: Caller,
  { id, path, changes }: { id: string; path: string; changes: readonly object[] },
): Promise<void> {
  const { random, context } = caller;
  const { provider, network } = context.world;
  const { disputes } = await readLedger(provider, id);
  const disputeId = disputes.find((each) => each.reason === reason)?.disputeId;
  if (disputeId === undefined) return;
  const forget =
    changes.length === 0
      ? () => undefined
      : network.meanwhile.add({
          request: new RegExp(`^POST /v1/disputes/${disputeId}/(evidence|accept)$`),
          when: 'before',
          happens: () =>
            orderAtNetwork(caller, `/v1/simulate/disputes/${disputeId}/change`, random.pick(changes)),
        });
  await send(caller, path, random.pick(['submit', 'submit', 'accept']));
  forget();
}
