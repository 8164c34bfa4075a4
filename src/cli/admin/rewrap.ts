import type { Command } from 'commander';
import type { Keyring, SealContext } from '../../crypto/keyring.ts';
import { hashPurposes, sealContext } from '../../crypto/seal-contexts.ts';
import type { Database } from '../../db/server/database.ts';
import {
  type RewrapProgress,
  type Rewrapped,
  type SealedRow,
  type SealedSubject,
  countKeysWithOtherHash,
  countSealedWithOtherKey,
  forgetFinishedRewrap,
  loadRewrap,
  nextSealedRows,
  saveRewrapped,
  sealedSubjects,
} from '../../db/server/key-rewraps.ts';
import { wrapVerb } from './keys-wrap.ts';
import { operate, withCommonFlags } from './operator.ts';

/**
 * The context for which a row's value is sealed, from the parts of the row's key in the order of the table.
 */
const contexts: Record<SealedSubject, (...key: string[]) => SealContext> = {
  canary: () => sealContext.canary(),
  chainKey: () => sealContext.chainKey(),
  checkoutUrl: (id = '') => sealContext.checkoutUrl(id),
  privateCustomer: (id = '') => sealContext.privateCustomer(id),
  archivedCheckoutUrl: (id = '') => sealContext.checkoutUrl(id),
  archivedPrivateCustomer: (id = '') => sealContext.privateCustomer(id),
  captureSecret: (id = '') => sealContext.captureSecret(id),
  cardToken: (id = '') => sealContext.cardToken(id),
  action: (id = '', attemptNo = '') => sealContext.action(id, Number(attemptNo)),
  connectorCredentials: (id = '') => sealContext.connectorCredentials(id),
  mailServer: (merchantId = '', environment = '') => sealContext.mailServer(merchantId, environment),
  mailContent: (id = '') => sealContext.mailContent(id),
  webhookSecret: (id = '') => sealContext.webhookSecret(id),
  previousWebhookSecret: (id = '') => sealContext.previousWebhookSecret(id),
  secondFactor: (id = '') => sealContext.secondFactor(id),
  response: (merchantId = '', operation = '', key = '') => sealContext.response(merchantId, operation, key),
};

/** `keys rewrap`: seals every value with the active key while the service runs. docs/security.md. */
export function rewrapCommands(program: Command): void {
  const keys = program.command('keys').description('Encryption and look-up keys');
  wrapVerb(keys);
  withCommonFlags(keys.command('rewrap')).action(async (flags: { dataDir: string }) =>
    operate(flags, async ({ database, keyring }) => ({
      ...(await rewrap(database, keyring, {
        rowsAtOnce: 500,
        onProgress: (line) => void process.stderr.write(`${line}\n`),
      })),
    })),
  );
}

/**
 * Seals again every value that is not under the active key, and hashes again every checkout link that is not
 * under the first look-up key, in batches of one commit each. After a stop it resumes where it was.
 * `onProgress` receives a line per batch. Returns how many values were sealed again, how many are `left`
 * under other keys, and how many API keys have a hash of another look-up key. Throws if a value cannot be
 * opened.
 */
export async function rewrap(
  database: Database,
  keyring: Keyring,
  { rowsAtOnce, onProgress }: { rowsAtOnce: number; onProgress: (line: string) => void },
): Promise<{ changed: number; left: number; apiKeysLeft: number }> {
  const target = `${keyring.activeKeyId} ${keyring.lookupKeyId}`;
  await forgetFinishedRewrap(database, target);
  let changed = 0;
  let left = 0;
  for (const subject of sealedSubjects) {
    let progress = await loadRewrap(database, target, subject);
    while (!progress.finished) {
      progress = await rewrapBatch(database, keyring, { target, subject, rowsAtOnce }, progress);
      onProgress(`${subject}: ${progress.seen} checked, ${progress.changed} sealed again`);
    }
    changed += progress.changed;
    left += await countSealedWithOtherKey(database, subject, keyring.activeKeyId);
  }
  return { changed, left, apiKeysLeft: await countKeysWithOtherHash(database, keyring.lookupKeyId) };
}

async function rewrapBatch(
  database: Database,
  keyring: Keyring,
  { target, subject, rowsAtOnce }: { target: string; subject: SealedSubject; rowsAtOnce: number },
  before: RewrapProgress,
): Promise<RewrapProgress> {
  const rows = await nextSealedRows(database, subject, before.after, rowsAtOnce);
  const values = rows.flatMap((row) => renewed(keyring, subject, row) ?? []);
  const progress = {
    after: rows.at(-1)?.key ?? before.after,
    seen: before.seen + rows.length,
    changed: before.changed,
    finished: rows.length < rowsAtOnce,
  };
  const changed = await saveRewrapped(database, { target, subject }, values, progress);
  return { ...progress, changed: before.changed + changed };
}

/** Returns the new values of a row; null if nothing changes. */
function renewed(keyring: Keyring, subject: SealedSubject, row: SealedRow): Rewrapped | null {
  const context = contexts[subject](...row.key);
  const underActive = keyring.sealedUnder(row.sealed) === keyring.activeKeyId;
  if (underActive && row.hash === null) return null;
  const text = keyring.open(row.sealed, context);
  const hash = row.hash && keyring.lookupHash(hashPurposes.checkoutToken, checkoutToken(text));
  if (underActive && hash !== null && row.hash?.equals(hash)) return null;
  return { row, sealed: underActive ? row.sealed : keyring.seal(text, context), hash };
}

/** Returns the secret of a stored checkout link. */
function checkoutToken(stored: string): string {
  const { url } = JSON.parse(stored) as { url: string };
  return url.slice(url.lastIndexOf('/') + 1);
}
