import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { ProviderUnavailable, type VaultClient } from './ports.ts';

const issuerText = z
  .string()
  .nullable()
  .transform((text) => text?.slice(0, 128) ?? null);

const claimSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('accepted'),
    card: z.object({
      brand: z.string().min(1).max(64),
      last4: z.string().regex(/^\d{4}$/),
      bin: z
        .string()
        .regex(/^\d{6,8}$/)
        .nullable(),
      issuer: z
        .object({
          bank: issuerText,
          countryCode: issuerText,
          countryName: issuerText,
          type: issuerText,
          level: issuerText,
          category: issuerText,
          regulated: issuerText,
        })
        .nullable(),
      fingerprint: z.string().min(1).max(128).nullable().default(null),
    }),
  }),
  z.object({ status: z.literal('rejected') }),
]);

/** Returns the port on the vault's service-side protocol (docs/simulators.md). */
export function createVaultClient(http: ProviderHttp): VaultClient {
  const sessionPath = (reference: string, verb = ''): string =>
    `/service/sessions/${encodeURIComponent(reference)}${verb}`;
  const noAnswer = () => new ProviderUnavailable('vault', true, 'no body');

  return {
    async registerSession({ reference, ...session }) {
      const { body } = await http.call({
        method: 'PUT',
        path: sessionPath(reference),
        body: session,
        schema: z.object({ captureUrl: z.url().max(2048) }),
      });
      if (!body) throw noAnswer();
      return body;
    },
    async revokeSession(reference) {
      // An unknown session cannot be used either.
      await http.call({
        method: 'POST',
        path: sessionPath(reference, '/revoke'),
        schema: z.unknown(),
        expected: [404],
      });
    },
    forgetCards: null,
    async claimToken({ reference, ...claim }) {
      const { body } = await http.call({
        method: 'POST',
        path: sessionPath(reference, '/claim'),
        body: claim,
        schema: claimSchema,
        expected: [404],
      });
      return body ?? { status: 'rejected' };
    },
  };
}
