-- Up Migration

-- The workflow run that may write this payment. A run that starts from the rows takes this over first; what an
-- earlier run (terminated, reset, frozen) still sends afterwards changes nothing.
ALTER TABLE payments ADD COLUMN workflow_run_id text;

CREATE INDEX payments_not_started ON payments (created_at) WHERE workflow_started_at IS NULL;
CREATE INDEX payments_open ON payments (created_at, id) WHERE settled_at IS NULL;
DROP INDEX payments_unsettled;

-- Down Migration

CREATE INDEX payments_unsettled ON payments (created_at) WHERE settled_at IS NULL;
DROP INDEX payments_open, payments_not_started;
ALTER TABLE payments DROP COLUMN workflow_run_id;
