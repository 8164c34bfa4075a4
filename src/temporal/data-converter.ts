import { fileURLToPath } from 'node:url';
import { type LoadedDataConverter, defaultPayloadConverter } from '@temporalio/common';
import type { Keyring } from '../crypto/keyring.ts';
import { failureConverter } from './failure-converter.ts';
import { createPayloadCodec } from './payload-codec.ts';

/** Where the failure converter lives, for the worker's bundle; clients and workers get it already loaded. */
export function failureConverterPath(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./failure-converter.${extension}`, import.meta.url));
}

/** The data converter of clients and workers alike. */
export function createDataConverter(keyring: Keyring): LoadedDataConverter {
  return {
    payloadConverter: defaultPayloadConverter,
    failureConverter,
    payloadCodecs: [createPayloadCodec(keyring)],
  };
}
