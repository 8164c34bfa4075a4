import { eventHash } from '../../crypto/event-seal.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { hashPurposes } from '../../crypto/seal-contexts.ts';
import { moveBackOfCustomer } from '../../db/payments/archive.ts';
import {
  countOpenPayments,
  erasedAt,
  eraseTexts,
  eventTexts,
  insertErasedEvents,
  lockPaymentsOf,
  replaceEventTexts,
} from '../../db/payments/erase-customer.ts';
import { recordChange } from '../../db/server/audit.ts';
import { loadChainKey } from '../../db/server/chain-key.ts';
import { type Database, inTransaction, type Queryable } from '../../db/server/database.ts';
import type { By } from '../../domain/audit.ts';

/** Payments of one transaction. */
const batch = 100;

/** The result of an erasure. */
export type Erasure =
  | { erased: number }
  | { refused: 'open'; open: number }
  | { refused: 'erased'; at: Date }
  | { refused: 'unknown' };

/**
 * Erases a customer of a merchant, identified by e-mail address, from all payments in both environments:
 * name, address, document, metadata, description, lines, search terms, evidence, requests, mails and events.
 * Archived payments are moved back first. Amounts, statuses and references stay. The audit log stores a keyed
 * hash of the address, also for a refusal.
 * Refuses, before any change, while a payment or a dispute of the customer is open, and for an address
 * without payments.
 */
export async function eraseCustomer(
  { database, keyring }: { database: Database; keyring: Keyring },
  merchantId: string,
  email: string,
  by: By,
): Promise<Erasure> {
  const name = `${merchantId}\0${email.toLowerCase()}`;
  const hashes = keyring.lookupHashes(hashPurposes.erasedCustomer, name).map((hash) => hash.toString('hex'));
  const hash = hashes[0] ?? '';
  const refuse = (reason: string): Promise<void> =>
    inTransaction(database, (transaction) =>
      record(transaction, merchantId, hash, by, { action: 'customer.erasureRefused', after: { reason } }),
    );
  const open = await countOpenPayments(database, merchantId, email);
  if (open > 0) {
    await refuse('open');
    return { refused: 'open', open };
  }
  let erased = 0;
  for (;;) {
    const count = await eraseBatch({ database, keyring }, merchantId, email, { by, hash });
    if (count === 0) break;
    erased += count;
  }
  if (erased > 0) return { erased };
  const at = await erasedAt(database, merchantId, hashes);
  if (at === null) return { refused: 'unknown' };
  await refuse('erased');
  return { refused: 'erased', at };
}

const record = (
  transaction: Queryable,
  merchantId: string,
  hash: string,
  by: By,
  { action, after }: { action: string; after: Record<string, unknown> },
): Promise<void> =>
  recordChange(transaction, {
    ...by,
    merchantId,
    environment: null,
    action,
    subject: { type: 'customer', id: hash },
    before: null,
    after,
  });

function eraseBatch(
  { database, keyring }: { database: Database; keyring: Keyring },
  merchantId: string,
  email: string,
  { by, hash }: { by: By; hash: string },
): Promise<number> {
  return inTransaction(database, async (transaction) => {
    await moveBackOfCustomer(transaction, merchantId, email, batch);
    const payments = await lockPaymentsOf(transaction, merchantId, email, batch);
    // A payment that opened after the count is not erased; a later command erases it.
    const ids = payments.filter(({ open }) => open === null).map(({ id }) => id);
    if (ids.length === 0) return 0;
    await eraseTexts(transaction, ids);
    const events = await eventTexts(transaction, ids);
    const replaced = await replaceEventTexts(
      transaction,
      events.map(({ id, data }) => ({ id, data: JSON.stringify(withoutCustomer(JSON.parse(data))) })),
    );
    const key = await loadChainKey(transaction, keyring);
    await insertErasedEvents(
      transaction,
      replaced.map((event) => {
        const { merchantId: owner, environment } = event;
        const made = eventHash({ merchantId: owner, environment }, event);
        return { id: event.id, hash: made, signature: key.sign('erased event', made) };
      }),
    );
    await record(transaction, merchantId, hash, by, {
      action: 'customer.erased',
      after: { payments: ids.length },
    });
    return ids.length;
  });
}

/** Returns a JSON value without the data of a customer, at any depth. */
function withoutCustomer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCustomer);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (name === 'customer') return [[name, { email: null, name: null }]];
      if (name === 'metadata' || name === 'evidence') return [[name, {}]];
      if (name === 'description' || name === 'lineItems') return [];
      return [[name, withoutCustomer(inner)]];
    }),
  );
}
