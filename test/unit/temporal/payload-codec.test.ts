import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { createKeyring, developmentEncryptionKeys } from '../../../src/crypto/keyring.ts';
import {
  PayloadRefused,
  createPayloadCodec,
  markRefused,
  showUnsealed,
  throwRefused,
} from '../../../src/temporal/payload-codec.ts';

const keyring = createKeyring(developmentEncryptionKeys);
const codec = createPayloadCodec(keyring, throwRefused);
const paid = defaultPayloadConverter.toPayload({ status: 'paid' });
const workflow = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'payments',
  workflowId,
});
const activity = (workflowId: string, activityId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'payments',
  workflowId,
  activityId,
  isLocal: false,
});
const sealed = async (context?: SerializationContext): Promise<Payload> => {
  const [payload] = await codec.encode([paid], context);
  if (!payload) throw new Error('nothing was sealed');
  return payload;
};
const here = activity('payment-1', '3-run');

it('opens a payload in the place it was sealed for, and one without a place', async () => {
  expect(await codec.decode([await sealed(here)], here)).toEqual([expect.objectContaining(paid)]);
  expect(await codec.decode([await sealed(here)])).toEqual([expect.objectContaining(paid)]);
});

it.each([
  ['another payment', activity('payment-2', '3-run')],
  ['another activity', activity('payment-1', '4-run')],
  ['another run', activity('payment-1', '3-run2')],
  ['the workflow itself', workflow('payment-1')],
  ['no place', undefined],
])('refuses a payload of %s', async (_what, there) => {
  await expect(codec.decode([await sealed(there)], here)).rejects.toEqual(new PayloadRefused('foreign'));
});

it('refuses a payload in clear, and one whose place was rewritten', async () => {
  await expect(codec.decode([paid], here)).rejects.toEqual(new PayloadRefused('unsealed'));
  const copied = await sealed(activity('payment-2', '3-run'));
  const { place } = (await sealed(here)).metadata ?? {};
  const moved = { ...copied, metadata: { ...copied.metadata, ...(place && { place }) } };
  await expect(codec.decode([moved], here)).rejects.toEqual(new PayloadRefused('forged'));
});

it('a worker continues with a mark in place of a refused payload; a reader sees unsealed values', async () => {
  const [marked] = await createPayloadCodec(keyring, markRefused).decode([paid], here);
  expect(marked && defaultPayloadConverter.fromPayload(marked)).toEqual({ refusedPayload: 'unsealed' });
  expect(await createPayloadCodec(keyring, showUnsealed).decode([paid])).toEqual([paid]);
});

it('a missing key is not reported as a forgery', async () => {
  const other = createKeyring(
    `k2:${Buffer.alloc(32, 'another key of thirty-two bytes!').toString('base64')}`,
  );
  const [payload] = await createPayloadCodec(other, throwRefused).encode([paid], here);
  const decoding = createPayloadCodec(keyring, markRefused).decode([payload ?? paid], here);
  await expect(decoding).rejects.toThrow('not in ENCRYPTION_KEYS');
});
