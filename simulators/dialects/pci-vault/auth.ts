import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashMatches, sha256Hex } from '../../secrets.ts';
import { Refusal } from '../../server.ts';
import type { PciVaultContext } from './context.ts';

/** Requires the account's user and password by Basic authentication. */
export function requireAccount(vault: PciVaultContext) {
  const expected = sha256Hex(`${vault.user}:${vault.password}`);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const match = /^basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '');
    const presented = Buffer.from(match?.[1] ?? '', 'base64').toString('utf8');
    if (hashMatches(presented, expected)) return;
    void reply.header('www-authenticate', 'Basic realm="PCI Vault"');
    throw new Refusal(401, 'unauthorized', 'The user or the password is wrong.');
  };
}

/** Refuses 401 for an unknown key and for a wrong passphrase, with the same answer. */
export function requireKey(vault: PciVaultContext, name: string, passphrase: string): void {
  const key = vault.keys.get(name);
  const matches = hashMatches(passphrase, key?.passphraseSha256 ?? '0'.repeat(64));
  if (!key || !matches) throw new Refusal(401, 'unauthorized', 'The key or its passphrase is wrong.');
}
