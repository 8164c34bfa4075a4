-- Up Migration

-- Names of the field: a payment or delivery that cannot change is finalized or ended, an attempt is resolved; settlement
-- is money moving between banks. ADR 0010. (There is no migration 0004: it was folded into 0003 before any release.)
--
-- Workflows that began under the older names cannot go on under the new ones, and nothing was released with them.
DO $$
BEGIN
  IF EXISTS (SELECT FROM payments) THEN
    RAISE EXCEPTION 'the database holds payments of a version before 0.1.0, which cannot go on: use a new database and Temporal namespace (npm start -- --fresh)';
  END IF;
END $$;

ALTER TABLE payments RENAME COLUMN settled_at TO finalized_at;
ALTER TABLE attempts RENAME COLUMN settled_at TO resolved_at;
ALTER TABLE webhook_deliveries RENAME COLUMN settled_at TO ended_at;
ALTER TABLE keyed_answers RENAME TO idempotency_responses;
ALTER TABLE idempotency_responses RENAME COLUMN answer TO response;

-- Down Migration

ALTER TABLE idempotency_responses RENAME COLUMN response TO answer;
ALTER TABLE idempotency_responses RENAME TO keyed_answers;
ALTER TABLE webhook_deliveries RENAME COLUMN ended_at TO settled_at;
ALTER TABLE attempts RENAME COLUMN resolved_at TO settled_at;
ALTER TABLE payments RENAME COLUMN finalized_at TO settled_at;
