import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { Keyring } from '../crypto/keyring.ts';

const encoding = 'binary/encrypted';
const encodingBytes = Buffer.from(encoding);
// Payloads are decoded by workers, API and operators' UI alike, so nothing but their kind can be bound to
// them.
const associatedData = Buffer.from('temporal-payload');

const PayloadMessage = proto.temporal.api.common.v1.Payload;

/**
 * Encrypts every payload with AES-256-GCM: the second belt, secrets stay out of payloads in the first place.
 */
export function createPayloadCodec(keyring: Keyring): PayloadCodec {
  return {
    encode: async (payloads) =>
      payloads.map((payload) => ({
        metadata: { encoding: encodingBytes },
        data: keyring.sealBytes(PayloadMessage.encode(payload).finish(), associatedData),
      })),
    decode: async (payloads) =>
      payloads.map((payload): Payload => {
        if (Buffer.from(payload.metadata?.['encoding'] ?? []).toString() !== encoding) return payload;
        return PayloadMessage.decode(keyring.openBytes(payload.data ?? new Uint8Array(), associatedData));
      }),
  };
}
