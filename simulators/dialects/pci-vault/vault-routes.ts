import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { sha256Hex } from '../../secrets.ts';
import { parseBody, Refusal } from '../../server.ts';
import { requireAccount } from './auth.ts';
import { itemKey, type PciVaultContext } from './context.ts';
import { withFault } from './faults.ts';

const MIN_PASSPHRASE_CHARS = 16;
const keyBody = z.object({
  user: z.string().min(1).max(128),
  passphrase: z.string().min(MIN_PASSPHRASE_CHARS).max(512),
});
const listQuery = z.object({
  user: z.string().min(1).max(128),
  passphrase: z.string().optional(),
  token: z.string().max(128).optional(),
  reference: z.string().max(128).optional(),
});
const deleteQuery = z.object({
  user: z.string().min(1).max(128).optional(),
  token: z.string().min(1).max(128),
  reference: z.string().min(1).max(128),
});

/** Lists and deletes keys and cards. Nothing is decrypted for a caller here. */
export function vaultRoutes(vault: PciVaultContext): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', requireAccount(vault));

    app.post('/v1/key', async (request) => {
      const { user, passphrase } = parseBody(keyBody, request.body);
      if (vault.keys.get(user)) throw new Refusal(409, 'key_exists', 'There is a key of this name.');
      vault.keys.put(user, { name: user, passphraseSha256: sha256Hex(passphrase) });
      return { user, passphrase };
    });

    app.get('/v1/vault', async (request, reply) => {
      const { user, token, reference, passphrase } = parseBody(listQuery, request.query);
      if (passphrase !== undefined) {
        throw new Refusal(403, 'never_decrypted', 'The dialect returns no card: use the proxy.');
      }
      await withFault(vault, reply, { kind: 'vault.list', reference: reference ?? '' }, async () => ({
        [user]: [...vault.items.values()]
          .filter((item) => item.key === user)
          .filter((item) => (token ?? item.token) === item.token)
          .filter((item) => (reference ?? item.reference) === item.reference)
          .map((item) => ({
            token: item.token,
            reference: item.reference,
            stored_at: new Date(item.storedAt).toISOString(),
          })),
      }));
      return reply;
    });

    app.delete('/v1/vault', async (request, reply) => {
      const { token, reference } = parseBody(deleteQuery, request.query);
      await withFault(vault, reply, { kind: 'vault.delete', reference }, async () => {
        const key = itemKey(token, reference);
        if (!vault.items.get(key)) throw new Refusal(404, 'not_found', 'There is no such token.');
        vault.items.delete(key);
        await vault.cards.remove(key);
        return { token, reference };
      });
      return reply;
    });
  };
}
