import type { KeyEncryption } from './port.ts';

/** Keys that the settings themselves hold. Nothing wraps them, and no call is made. */
export const localKeys: KeyEncryption = {
  wrap: async (key) => key.toString('base64'),
  unwrap: async (text) => Buffer.from(text, 'base64'),
};
