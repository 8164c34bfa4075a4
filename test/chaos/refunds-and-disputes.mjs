import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a merchant's backend does with a payment that is paid: gives back parts of it, twice under one key or two at
 * once, changes its mind, and answers disputes. `call` and `insist` are those of the client (workload.mjs).
 */
export async function refundAndDispute({ client, payment, random, call, insist, pause, over }) {
  const { id, amountCents } = payment;
  const keyOf = (what) =>
    `chaos-${what}-${client.seed}-${client.index}-${Date.now()}-${random.between(1, 1e9)}`;
  const part = (share) => Math.max(1, Math.round(amountCents * share * random.pick([0.2, 0.5, 1])));
  const post = (op, path, body, key = keyOf(op)) => insist(op, 'POST', path, body, key);
  const disputes = ['dispute', 'both'].includes(client.afterwards);
  const refunds = ['refunds', 'both'].includes(client.afterwards);
  await Promise.all([
    refunds ? giveBack() : undefined,
    disputes ? sleep(random.between(0, 2_500)).then(ordered) : undefined,
    client.card === '4000000000000259' ? byItself() : undefined,
  ]);
  await insist('read', 'GET', `/v1/payments/${id}`);

  async function giveBack() {
    for (let count = random.between(1, 4); count > 0 && !over(); count -= 1) {
      const style = random.weighted([
        ['once', 3],
        ['twiceWithOneKey', 3],
        ['twoAtOnce', 2],
        ['allThatIsLeft', 1],
      ]);
      const path = `/v1/payments/${id}/refunds`;
      // Equal amounts are two refunds, more than half twice is one too many.
      const body = style === 'allThatIsLeft' ? {} : { amountCents: part(style === 'twoAtOnce' ? 0.7 : 0.4) };
      const key = keyOf('refund');
      const made = [];
      if (style === 'twiceWithOneKey') {
        made.push(...(await Promise.all([post('refund', path, body, key), post('refund', path, body, key)])));
      } else if (style === 'twoAtOnce') {
        made.push(...(await Promise.all([post('refund', path, body), post('refund', path, body)])));
      } else {
        made.push(await post('refund', path, body, key));
        if (random.chance(0.3)) made.push(await post('refund', path, body, key));
      }
      const refund = made.find((answer) => answer?.result === 'ok')?.data;
      if (refund) await changeMind(refund);
      await pause(50, 800);
    }
  }

  async function changeMind(refund) {
    const what = random.weighted([
      ['nothing', 4],
      ['cancel', 3],
      ['fails', 3],
    ]);
    if (what === 'cancel') await insist('cancel', 'POST', `/v1/refunds/${refund.id}/cancel`);
    if (what === 'fails') {
      await post('order', `/v1/sandbox/refunds/${refund.id}/outcome`, {
        outcome: random.pick(['failed', 'succeeded']),
      });
    }
  }

  async function ordered() {
    const opened = await post('dispute', `/v1/sandbox/payments/${id}/disputes`, {
      reason: 'productNotReceived',
    });
    if (opened?.result === 'ok') await respond(opened.data.id);
  }

  /** The card's dispute opens a second after the payment; nobody tells the client. */
  async function byItself() {
    while (!over()) {
      const listed = await call('disputes', 'GET', `/v1/payments/${id}/disputes`);
      const found = listed.data?.find(({ reason }) => reason === 'fraudulent');
      if (found) return respond(found.id);
      await pause(300, 900);
    }
    return undefined;
  }

  async function respond(disputeId) {
    const path = `/v1/disputes/${disputeId}`;
    const how = random.weighted([
      ['winning_evidence', 3],
      ['losing_evidence', 2],
      ['accept', 2],
      ['resolve', 2],
    ]);
    if (how === 'accept') await post('answer', `${path}/accept`);
    else if (how === 'resolve') {
      const outcome = random.pick(['won', 'lost', 'withdrawn']);
      await post('order', `/v1/sandbox/disputes/${disputeId}/resolve`, { outcome });
    } else {
      const staged = await insist('stage', 'PUT', `${path}/evidence`, { evidence: { note: how } });
      if (staged?.result === 'ok') await post('answer', `${path}/submit`);
    }
    // Whoever gave up in the middle settles it, so that nothing is left open.
    for (let tries = 0; tries < 40 && !over(); tries += 1) {
      const read = await call('readDispute', 'GET', path);
      if (['won', 'lost'].includes(read.data?.status)) return;
      if (tries === 12) await post('order', `/v1/sandbox/disputes/${disputeId}/resolve`, { outcome: 'won' });
      await pause(200, 500);
    }
  }
}
