import { fileURLToPath } from 'node:url';
import { type LoadedDataConverter, defaultPayloadConverter } from '@temporalio/common';
import type { Keyring } from '../crypto/keyring.ts';
import { failureConverter } from './failure-converter.ts';
import { type OnRefused, createPayloadCodec, throwRefused } from './payload-codec.ts';

/** Returns the path of the failure converter for the worker's bundle; the others get it already loaded. */
export function failureConverterPath(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./failure-converter.${extension}`, import.meta.url));
}

/** Returns the data converter of clients. Workers pass an `onRefused` that marks instead of throwing. */
export function createDataConverter(
  keyring: Keyring,
  onRefused: OnRefused = throwRefused,
): LoadedDataConverter {
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter,
    payloadCodecs: [createPayloadCodec(keyring, onRefused)],
  };
}
