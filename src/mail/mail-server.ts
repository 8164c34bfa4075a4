import { sealContext } from '../crypto/seal-contexts.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Tenant } from '../db/payments/payments.ts';
import { loadMailServer } from '../db/mail/mail-settings.ts';
import type { Queryable } from '../db/server/database.ts';
import { isMailable, type MailServer, parseMailUrl } from '../domain/mail.ts';
import { isIP } from 'node:net';
import { loopbackAddresses } from '../webhooks/addresses.ts';
import { type EgressRules, isAllowedAddress } from '../webhooks/endpoint-url.ts';

/** A merchant's mail server, with its URL decrypted. */
export interface OpenedMailServer {
  server: MailServer;
  from: string;
}

/** Seals the URL of a mail server for storage. */
export const sealMailUrl = (keyring: Keyring, tenant: Tenant, url: string): Buffer =>
  keyring.seal(url, sealContext.mailServer(tenant.merchantId, tenant.environment));

/** Returns the tenant's mail server with its login; null if there is none. */
export async function openMailServer(
  database: Queryable,
  keyring: Keyring,
  tenant: Tenant,
): Promise<OpenedMailServer | null> {
  const stored = await loadMailServer(database, tenant);
  if (stored === null) return null;
  const url = keyring.open(stored.urlSealed, sealContext.mailServer(tenant.merchantId, tenant.environment));
  const parsed = parseMailUrl(url);
  if (!parsed.ok) throw new Error('the stored address of the mail server cannot be read');
  return { server: parsed.server, from: stored.fromAddress };
}

/**
 * Returns why a mail server or its sender cannot be used, as the end of a sentence about the field; null if
 * they can. Host names are checked when they are resolved, at each connection.
 */
export function checkMailServer(
  given: { url: string; from: string },
  rules: EgressRules,
): { ok: true; server: MailServer } | { ok: false; field: 'url' | 'from'; reason: string } {
  const parsed = parseMailUrl(given.url);
  if (!parsed.ok) return { ok: false, field: 'url', reason: parsed.reason };
  const { host } = parsed.server;
  const isLocal = /(^|\.)localhost\.?$/.test(host) || loopbackAddresses.includes(host);
  if ((isIP(host) !== 0 && !isAllowedAddress(host, rules)) || (isLocal && !rules.allowLoopback)) {
    return { ok: false, field: 'url', reason: 'must not name a private or reserved address' };
  }
  if (!isMailable(given.from) || !/^[\x21-\x7e]+$/.test(given.from)) {
    return { ok: false, field: 'from', reason: 'must be an e-mail address such as receipts@shop.example' };
  }
  return { ok: true, server: parsed.server };
}
