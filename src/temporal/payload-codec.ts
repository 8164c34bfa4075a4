import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Keyring, UnknownKey } from '../crypto/keyring.ts';
import type { PayloadRefusal, RefusedPayload } from './contract/refused-payload.ts';

const encoding = 'binary/encrypted';
const encodingBytes = Buffer.from(encoding);
/**
 * Where a sealed payload belongs; authenticated with it, and in clear, so that the operators' UI can open it.
 */
const placeKey = 'place';

const PayloadMessage = proto.temporal.api.common.v1.Payload;

/** A payload that no holder of the keys wrote for this place. */
export class PayloadRefused extends Error {
  readonly reason: PayloadRefusal;

  constructor(reason: PayloadRefusal) {
    super(`a payload from Temporal was refused: ${reason}`);
    this.name = 'PayloadRefused';
    this.reason = reason;
  }
}

/** Handles a refused payload. Returns what stands in its place, or throws. */
export type OnRefused = (reason: PayloadRefusal, payload: Payload) => Payload;

/** For callers: throws. */
export const throwRefused: OnRefused = (reason) => {
  throw new PayloadRefused(reason);
};

/**
 * For workers: a throw would stop the workflow for good, and its payment with it. The mark in the payload's
 * place is refused where it would be used (src/workflows/refuse-payloads.ts).
 */
export const markRefused: OnRefused = (refusedPayload) => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify({ refusedPayload } satisfies RefusedPayload)),
});

/** For operators' readers: a value that was never sealed is shown as it is. Throws for the rest. */
export const showUnsealed: OnRefused = (reason, payload) =>
  reason === 'unsealed' ? payload : throwRefused(reason, payload);

/**
 * Encrypts every payload with AES-256-GCM and binds it to its place: the workflow, or the one activity of it,
 * whose value it is. A value in clear, one of another payment or of another activity is refused, whatever
 * process put it there. Secrets stay out of payloads in the first place. ADR 0017.
 */
export function createPayloadCodec(keyring: Keyring, onRefused: OnRefused): PayloadCodec {
  return {
    encode: async (payloads, context) => {
      const place = Buffer.from(placeOf(context));
      return payloads.map((payload) => ({
        metadata: { encoding: encodingBytes, [placeKey]: place },
        data: keyring.sealBytes(PayloadMessage.encode(payload).finish(), place),
      }));
    },
    decode: async (payloads, context) =>
      payloads.map((payload): Payload => {
        if (textOf(payload, 'encoding') !== encoding) return onRefused('unsealed', payload);
        const place = textOf(payload, placeKey);
        if (context !== undefined && place !== placeOf(context)) return onRefused('foreign', payload);
        try {
          return PayloadMessage.decode(
            keyring.openBytes(payload.data ?? new Uint8Array(), Buffer.from(place)),
          );
        } catch (error) {
          // Not the payload's fault: it can be opened once the key is in the ring again.
          if (error instanceof UnknownKey) throw error;
          return onRefused('forged', payload);
        }
      }),
  };
}

const textOf = (payload: Payload, key: string): string =>
  Buffer.from(payload.metadata?.[key] ?? []).toString();

/**
 * The place a value belongs to. The namespace is left out: ids of payments are unique, and a history may be
 * read under another name. The run is in the activity's id (src/workflows/refuse-payloads.ts).
 */
function placeOf(context: SerializationContext | undefined): string {
  if (context === undefined) return 'nowhere';
  const workflow = `temporal-payload ${context.workflowId ?? ''}`;
  return context.type === 'workflow' ? workflow : `${workflow} ${context.activityId ?? ''}`;
}
