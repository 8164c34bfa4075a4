-- After a restore of older rows: what each creation is found by again, and whether writes are held. ADR 0062.

-- Up Migration

-- The keyed hash of the Idempotency-Key of the creation, which the network and the workflow keep too; NULL: created by
-- an earlier version. `restored_at`: when the payment was written back from what they know; NULL: it never was.
ALTER TABLE payments ADD COLUMN creation_key_hash bytea, ADD COLUMN restored_at timestamptz;

-- The Idempotency-Keys of payments that were written back: only their keyed hashes are known, and no body. A creation
-- with such a key gets the payment again.
CREATE TABLE restored_creations (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  key_hash bytea NOT NULL,
  payment_id uuid NOT NULL REFERENCES payments (id),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, key_hash)
);

-- The comparison of the rows with what Temporal knows, in one row that goes back with all others.
CREATE TABLE restore_watch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Everything that Temporal began before this was compared; NULL: nothing yet.
  compared_until timestamptz,
  -- When rows were found to be older than what Temporal or a network knows; while it is set, writes that make or move
  -- money are refused. NULL: they are not, or an operator has ended it.
  held_since timestamptz,
  -- From when on something may be lost, as far as it is known when writes are held.
  lost_since timestamptz,
  -- When an operator ended it last: what began before is not found missing again. NULL: never.
  ended_at timestamptz
);
INSERT INTO restore_watch DEFAULT VALUES;

-- Down Migration

DROP TABLE restore_watch;
DROP TABLE restored_creations;
ALTER TABLE payments DROP COLUMN restored_at, DROP COLUMN creation_key_hash;
