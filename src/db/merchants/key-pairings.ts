import type { Actor, By } from '../../domain/audit.ts';
import { grantedScopes, type Role } from '../../domain/members.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Environment } from '../../domain/statuses.ts';
import { recordChange } from '../server/audit.ts';
import { inTransaction, type Database, type Queryable } from '../server/database.ts';
import type { Tenant } from '../payments/payments.ts';
import { addKey, type NewKey } from './merchant-keys.ts';

/*
 * A command line requests a key, a member decides in the dashboard, and the command line gets the key once. A
 * pairing belongs to no merchant until a member decides. Its age is computed by PostgreSQL's clock. ADR 0073.
 */

/** How long a command line waits for a key, in seconds. */
export const pairingSeconds = 600;

/** The maximum number of open pairings of all callers together: anyone may begin one. */
const maxOpen = 2_000;

/** The request of a command line. */
export interface Pairing {
  id: string;
  /** The code that the terminal and the dashboard show, so that the member can compare them. */
  code: string;
  environment: Environment;
  scopes: Scope[];
  /** The name of the computer, which the caller chose. */
  computer: string;
  /** The caller's address. */
  address: string;
}

/** Stores a pairing by the keyed hash of its secret. Returns false while the maximum number is open. */
export async function insertPairing(
  database: Queryable,
  { secretHash, ...pairing }: Pairing & { secretHash: Buffer },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `INSERT INTO key_pairings (id, secret_hash, code, environment, scopes, computer, address, expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, now() + interval '1 second' * ${pairingSeconds}
     WHERE (SELECT count(*) FROM (
       SELECT FROM key_pairings WHERE expires_at > now() LIMIT ${maxOpen}) o) < ${maxOpen}`,
    [
      pairing.id,
      secretHash,
      pairing.code,
      pairing.environment,
      pairing.scopes,
      pairing.computer,
      pairing.address,
    ],
  );
  return rowCount === 1;
}

const columns = 'id, code, environment, scopes, computer, address';

/** Returns a pairing of this environment that waits for a decision; null if there is none or it has ended. */
export async function findOpenPairing(
  database: Queryable,
  environment: Environment,
  id: string,
): Promise<(Pairing & { createdAt: Date }) | null> {
  const { rows } = await database.query<Pairing & { createdAt: Date }>(
    `SELECT ${columns}, created_at AS "createdAt" FROM key_pairings
     WHERE id = $1 AND environment = $2 AND decision IS NULL AND expires_at > now()`,
    [id, environment],
  );
  return rows[0] ?? null;
}

/**
 * Stores a member's decision, once, and records it in the audit log. Returns false when the pairing has ended
 * or was already decided, by any merchant. `scopes`: the scopes that the key gets.
 */
export async function decidePairing(
  database: Database,
  tenant: Tenant,
  {
    id,
    memberId,
    ...given
  }: { id: string; memberId: string; decision: 'approved' | 'refused'; scopes: Scope[] },
  by: By,
): Promise<boolean> {
  const { merchantId, environment } = tenant;
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<Pick<Pairing, 'computer' | 'address'>>(
      `UPDATE key_pairings SET decision = $3, merchant_id = $4, member_id = $5,
         scopes = CASE WHEN $3 = 'approved' THEN $6::text[] ELSE scopes END
       WHERE id = $1 AND environment = $2 AND decision IS NULL AND expires_at > now()
       RETURNING computer, address`,
      [id, environment, given.decision, merchantId, memberId, given.scopes],
    );
    const [pairing] = rows;
    if (!pairing) return false;
    const { computer, address } = pairing;
    await recordChange(transaction, {
      ...by,
      merchantId,
      environment,
      action: `keyPairing.${given.decision}`,
      subject: { type: 'keyPairing', id },
      before: null,
      after: { computer, address, ...(given.decision === 'approved' ? { scopes: given.scopes } : {}) },
    });
    return true;
  });
}

/** The answer to a command line that polls for its key. `over`: unknown, expired, or fetched before. */
export type Claim =
  | { status: 'pending' | 'refused' | 'over' }
  | { status: 'approved'; environment: Environment; scopes: Scope[]; text: string };

type DecidedRow = Pick<Pairing, 'id' | 'environment' | 'scopes' | 'computer'> & {
  decision: 'approved' | 'refused' | null;
  merchantId: string;
  memberId: string;
};

/**
 * Returns the answer to the holder of a secret, and ends the pairing once it is decided. For an approved
 * pairing the key is created now, so that no key's text is ever stored. It is created by the member who
 * approved, within what their role allows now. Of two concurrent claims only one gets a key.
 */
export async function claimPairing(
  database: Database,
  secretHashes: Buffer[],
  makeKey: (environment: Environment) => {
    text: string;
    stored: Pick<NewKey, 'id' | 'secretHash' | 'lookupKeyId'>;
  },
  caller: { address: string; at: Date },
): Promise<Claim> {
  return inTransaction(database, async (transaction) => {
    const { rows } = await transaction.query<DecidedRow>(
      `SELECT id, environment, scopes, computer, decision, merchant_id AS "merchantId", member_id AS "memberId"
       FROM key_pairings WHERE secret_hash = ANY($1::bytea[]) AND expires_at > now() FOR UPDATE`,
      [secretHashes],
    );
    const [pairing] = rows;
    if (!pairing) return { status: 'over' };
    if (pairing.decision === null) return { status: 'pending' };
    await transaction.query('DELETE FROM key_pairings WHERE id = $1', [pairing.id]);
    if (pairing.decision === 'refused') return { status: 'refused' };
    const { merchantId, memberId, environment, computer } = pairing;
    const members = await transaction.query<{ name: string; role: Role }>(
      'SELECT name, role FROM members WHERE id = $1 AND merchant_id = $2 AND removed_at IS NULL',
      [memberId, merchantId],
    );
    const [member] = members.rows;
    const scopes = member ? grantedScopes(member.role, pairing.scopes) : [];
    if (!member || scopes.length === 0) return { status: 'refused' };
    const { text, stored } = makeKey(environment);
    const actor: Actor = { kind: 'member', id: memberId, name: member.name, address: caller.address };
    const key = { ...stored, merchantId, environment, name: keyName(computer), scopes };
    const added = await addKey(
      transaction,
      { ...key, methods: null, embeddingOrigins: null },
      { actor, at: caller.at },
    );
    return added === 'created' ? { status: 'approved', environment, scopes, text } : { status: 'refused' };
  });
}

/** Returns the name of a command line's key, which names the computer that requested it. */
export const keyName = (computer: string): string => `Command line on ${computer}`;
