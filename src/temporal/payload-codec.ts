import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import proto from '@temporalio/proto';
import { type Keyring, UnknownKey } from '../crypto/keyring.ts';
import type { PayloadRefusal, RefusedPayload } from './contract/refused-payload.ts';

const encoding = 'binary/encrypted';
const encodingBytes = Buffer.from(encoding);
/**
 * The metadata key of the place to which a sealed payload belongs. The place is authenticated with the
 * payload and is in clear, so that the operators' UI can open the payload.
 */
const placeKey = 'place';

const PayloadMessage = proto.temporal.api.common.v1.Payload;

/** A payload that was not written for this place by a holder of the keys. */
export class PayloadRefused extends Error {
  readonly reason: PayloadRefusal;

  constructor(reason: PayloadRefusal) {
    super(`a payload from Temporal was refused: ${reason}`);
    this.name = 'PayloadRefused';
    this.reason = reason;
  }
}

/** Handles a refused payload. Returns its replacement, or throws. */
export type OnRefused = (reason: PayloadRefusal, payload: Payload) => Payload;

/** For clients: throws. */
export const throwRefused: OnRefused = (reason) => {
  throw new PayloadRefused(reason);
};

/**
 * For workers: a throw would stop the workflow for good, and its payment with it. The returned mark is
 * refused where it would be used (src/workflows/refuse-payloads.ts).
 */
export const markRefused: OnRefused = (refusedPayload) => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify({ refusedPayload } satisfies RefusedPayload)),
});

/** For operators' tools: a value that was never sealed is shown as it is. Throws for all others. */
export const showUnsealed: OnRefused = (reason, payload) =>
  reason === 'unsealed' ? payload : throwRefused(reason, payload);

/**
 * Returns the codec that encrypts every payload with AES-256-GCM and binds it to its place: its workflow, or
 * the one activity of it that has the value. A value in clear, of another payment or of another activity is
 * refused, whichever process put it there. Secrets stay out of payloads in the first place. ADR 0017.
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
          // The payload is not at fault: it can be opened once the key is in the ring again.
          if (error instanceof UnknownKey) throw error;
          return onRefused('forged', payload);
        }
      }),
  };
}

const textOf = (payload: Payload, key: string): string =>
  Buffer.from(payload.metadata?.[key] ?? []).toString();

/**
 * Returns the place of a value. The namespace is left out, because ids of payments are unique and a history
 * may be read under another name. The run is in the activity's id (src/workflows/refuse-payloads.ts).
 */
function placeOf(context: SerializationContext | undefined): string {
  if (context === undefined) return 'nowhere';
  const workflow = `temporal-payload ${context.workflowId ?? ''}`;
  return context.type === 'workflow' ? workflow : `${workflow} ${context.activityId ?? ''}`;
}
