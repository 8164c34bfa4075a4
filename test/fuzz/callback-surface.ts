import { Webhook } from 'standardwebhooks';
import type { Json } from '../../src/api/docs/json.ts';
import { refusalIn } from './api-surface.ts';
import type { Surface } from './surface.ts';
import { hostileStrings, mutated } from './values.ts';

const statuses = new Set([200, 201, 204]);

/**
 * Returns the requests of providers and command lines to the API at `baseUrl`: signed and forged callbacks
 * about payments of `ids`, and requests for a key by a link.
 */
export function callbackSurface(baseUrl: string, secret: string, ids: readonly string[]): Surface {
  const signer = new Webhook(secret);
  let sent = 0;
  return {
    async draw(random) {
      const kind = random.weighted([
        ['/callbacks/network', 6],
        [`/callbacks/stripe/${random.pick([...ids, 'x', '%00'])}`, 2],
        ['/pairings', 1],
        ['/pairings/claim', 1],
      ] as const);
      const paymentId = random.pick(ids);
      const callback = {
        type: random.pick(['charge.updated', 'refund.updated', 'dispute.updated', 'payout.paid']),
        paymentId,
        key: `${paymentId}:${random.below(4)}`,
        refundKey: random.pick(ids),
        disputeId: random.pick(['dp_1', ...hostileStrings]),
      };
      const pairing = { environment: 'sandbox', scopes: ['payments:read'], secret: 'x'.repeat(43) };
      let content: Json = kind.startsWith('/callbacks') ? callback : pairing;
      if (random.chance(0.5)) content = mutated(random, content);
      const body = random.chance(0.04) ? JSON.stringify(content).slice(1) : JSON.stringify(content);
      sent += 1;
      const at = random.chance(0.9) ? new Date() : new Date(0);
      const id = `msg_${sent}`;
      const signature = random.chance(0.85)
        ? signer.sign(id, at, body)
        : random.pick(['v1,', 'v1,AAAA', 't=1']);
      return {
        name: `callback ${kind.replace(/stripe\/.*/, 'stripe/:id')}`,
        url: baseUrl + kind,
        method: 'POST',
        headers: {
          'content-type': random.chance(0.95) ? 'application/json' : 'text/plain',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signature,
          ...(random.chance(0.5)
            ? { 'stripe-signature': random.pick([`t=1,v1=${'a'.repeat(64)}`, 'x', 't=,v1=']) }
            : {}),
        },
        body,
        verdict({ status, text }) {
          if (statuses.has(status)) return null;
          return status < 500 && refusalIn(JSON.parse(text), status) !== null ? null : `status ${status}`;
        },
      };
    },
  };
}
