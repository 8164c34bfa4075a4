import { z } from 'zod';

/** A key that data is encrypted with. Its passphrase is kept as SHA-256 only. */
export const keySchema = z.object({ name: z.string(), passphraseSha256: z.string() });
export type VaultKey = z.infer<typeof keySchema>;

/** A capture endpoint. Times are epoch ms; `expiresAt` null never ends. */
export const endpointSchema = z.object({
  id: z.string(),
  key: z.string(),
  secretSha256: z.string(),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type CaptureEndpoint = z.infer<typeof endpointSchema>;

/** The record that a token is stored under a reference. The card itself is sealed elsewhere. */
export const itemSchema = z.object({
  token: z.string(),
  reference: z.string(),
  key: z.string(),
  storedAt: z.number(),
});
export type StoredItem = z.infer<typeof itemSchema>;
