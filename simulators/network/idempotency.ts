import { sha256Hex, stableJson } from '../secrets.ts';
import { Refusal } from '../server.ts';
import type { NetworkContext } from './context.ts';
import type { Dispute } from './records.ts';

/**
 * Runs `work` at most once per `key` and returns the current state of the dispute that it created or changed.
 * The same key with another body is refused with 409 `idempotency_key_reused`. When `work` refuses, the key
 * stays free.
 */
export function once(
  network: Pick<NetworkContext, 'ledger' | 'once'>,
  key: string,
  body: unknown,
  work: () => Dispute,
): Dispute {
  const bodyHash = sha256Hex(stableJson(body));
  const earlier = network.once.get(key);
  if (!earlier) {
    const dispute = work();
    network.once.put(key, { bodyHash, disputeId: dispute.disputeId });
    return dispute;
  }
  const dispute = network.ledger.dispute(earlier.disputeId);
  if (earlier.bodyHash === bodyHash && dispute) return dispute;
  throw new Refusal(409, 'idempotency_key_reused', 'This key was used with another body.');
}
