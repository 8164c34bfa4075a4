-- Up Migration

-- Writers wait for one lock at most: no other is waited for meanwhile.
LOCK TABLE refunds IN ACCESS EXCLUSIVE MODE;
LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE NOWAIT;

-- The provider's name of a refund that was made there and not here; NULL for our own. ADR 0024.
ALTER TABLE refunds ADD COLUMN provider_reference text;

-- Payments whose refunds are to be read at the provider: it told of one that is not in the rows, or may have changed.
CREATE TABLE heard_refunds (
  payment_id uuid PRIMARY KEY,
  next_look_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0
);
CREATE INDEX heard_refunds_due ON heard_refunds (next_look_at);

-- Rows that are there have one of the former kinds: they need not be read again.
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_actor_kind_check;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_actor_kind_check
  CHECK (actor_kind IN ('operator', 'member', 'apiKey', 'service', 'provider')) NOT VALID;

-- Down Migration

ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_actor_kind_check;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_actor_kind_check
  CHECK (actor_kind IN ('operator', 'member', 'apiKey', 'service')) NOT VALID;
DROP TABLE heard_refunds;
ALTER TABLE refunds DROP COLUMN provider_reference;
