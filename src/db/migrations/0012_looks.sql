-- Up Migration

-- What the sweeps look at (docs/reliability.md, ADR 0015): each finds what can be wrong by a partial index, in the
-- order in which it is due, and reads nothing else.

-- A payment in which something can be wrong is enrolled once: its row leaves the indexes below, and is looked at by
-- payment_looks until it is well or final. What is polled is written there, not in the wide row.
ALTER TABLE payments ADD COLUMN watched boolean NOT NULL DEFAULT false;
ALTER TABLE attempts ADD COLUMN watched boolean NOT NULL DEFAULT false;
-- No foreign key: its check would wait for a payment's own commit, which may wait for what is held here.
CREATE TABLE payment_looks (
  payment_id uuid PRIMARY KEY,
  next_look_at timestamptz NOT NULL,
  looks integer NOT NULL DEFAULT 0,
  -- In a row.
  failures integer NOT NULL DEFAULT 0,
  last_error_code text CHECK (char_length(last_error_code) <= 64)
);
CREATE INDEX payment_looks_due ON payment_looks (next_look_at);

DROP INDEX payments_not_started, payments_open, attempts_under_way;
CREATE INDEX payments_not_started ON payments (created_at) WHERE workflow_started_at IS NULL AND NOT watched;
CREATE INDEX payments_overdue ON payments (expires_at) WHERE finalized_at IS NULL AND NOT watched;
CREATE INDEX attempts_under_way ON attempts (started_at) WHERE status = 'processing' AND NOT watched;

-- When the vault is told again that an access is over.
ALTER TABLE capture_access
  ADD COLUMN next_look_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN look_failures integer NOT NULL DEFAULT 0;
DROP INDEX capture_access_open;
CREATE INDEX capture_access_open ON capture_access (ends_at) WHERE status IN ('reserved', 'registered');
CREATE INDEX capture_access_ending ON capture_access (next_look_at) WHERE status = 'ending';

-- When a refund is next asked for, or brought forward; NULL: never again.
DROP INDEX refunds_open;
ALTER TABLE refunds DROP COLUMN swept_at,
  ADD COLUMN next_look_at timestamptz,
  ADD COLUMN look_failures integer NOT NULL DEFAULT 0;
UPDATE refunds SET next_look_at = now() WHERE status IN ('pending', 'succeeded');
CREATE INDEX refunds_pending ON refunds (next_look_at) WHERE status = 'pending';
CREATE INDEX refunds_succeeded ON refunds (next_look_at) WHERE status = 'succeeded' AND next_look_at IS NOT NULL;

-- When a dispute's workflow is next needed; NULL: never again.
DROP INDEX disputes_open;
ALTER TABLE disputes DROP COLUMN swept_at,
  ADD COLUMN next_look_at timestamptz,
  ADD COLUMN look_failures integer NOT NULL DEFAULT 0,
  -- The hour before the deadline was reached, and what was staged then is submitted.
  ADD COLUMN auto_submitted boolean NOT NULL DEFAULT false;
UPDATE disputes SET next_look_at = now() WHERE closed_at IS NULL;
CREATE INDEX disputes_due ON disputes (next_look_at) WHERE next_look_at IS NOT NULL;

-- Disputes that the network told of and that are not in the rows yet: written with the cursor they were read by, so
-- that none is lost whatever happens before its workflow has recorded it.
CREATE TABLE heard_disputes (
  id uuid PRIMARY KEY,
  provider_reference text NOT NULL,
  payment_id uuid NOT NULL,
  next_look_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0
);
CREATE INDEX heard_disputes_due ON heard_disputes (next_look_at);
-- How far a list of a provider's has been read.
CREATE TABLE provider_cursors (
  provider text NOT NULL,
  list text NOT NULL,
  cursor text NOT NULL,
  moved_at timestamptz NOT NULL,
  PRIMARY KEY (provider, list)
);
-- The network tells all its disputes in the order of their changes: nothing is asked payment by payment any more.
DROP INDEX payments_disputes_due;
ALTER TABLE payments DROP COLUMN disputes_due_at;

-- When somebody makes sure that a pending delivery is worked on.
DROP INDEX webhook_deliveries_pending;
ALTER TABLE webhook_deliveries
  ADD COLUMN next_look_at timestamptz NOT NULL DEFAULT now() + interval '3 seconds',
  ADD COLUMN look_failures integer NOT NULL DEFAULT 0;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_look_at) WHERE status = 'pending';
CREATE INDEX webhook_endpoints_old_secret ON webhook_endpoints (previous_secret_until)
  WHERE previous_secret_until IS NOT NULL;

-- What an operator should see, until it is over: looks that fail again and again.
CREATE TABLE operator_alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The sweep whose looks fail.
  sweep text NOT NULL,
  -- What it cannot look at: an id; empty when it can look at nothing.
  subject text NOT NULL,
  merchant_id uuid REFERENCES merchants (id),
  -- A code of ours, of Temporal's or of PostgreSQL's; never a text of somebody else's.
  detail text NOT NULL CHECK (char_length(detail) <= 64),
  since timestamptz NOT NULL,
  cleared_at timestamptz
);
CREATE UNIQUE INDEX operator_alerts_open ON operator_alerts (sweep, subject) WHERE cleared_at IS NULL;
CREATE INDEX operator_alerts_list ON operator_alerts (since, id) WHERE cleared_at IS NULL;
CREATE INDEX operator_alerts_cleared ON operator_alerts (cleared_at) WHERE cleared_at IS NOT NULL;

-- Down Migration

DROP TABLE operator_alerts;

DROP INDEX webhook_endpoints_old_secret, webhook_deliveries_due;
ALTER TABLE webhook_deliveries DROP COLUMN look_failures, DROP COLUMN next_look_at;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (due_at) WHERE status = 'pending';

ALTER TABLE payments ADD COLUMN disputes_due_at timestamptz;
CREATE INDEX payments_disputes_due ON payments (coalesce(disputes_due_at, paid_at)) WHERE paid_at IS NOT NULL;
DROP TABLE provider_cursors, heard_disputes;

DROP INDEX disputes_due;
ALTER TABLE disputes DROP COLUMN auto_submitted, DROP COLUMN look_failures, DROP COLUMN next_look_at,
  ADD COLUMN swept_at timestamptz;
CREATE INDEX disputes_open ON disputes (created_at) WHERE closed_at IS NULL;

DROP INDEX refunds_succeeded, refunds_pending;
ALTER TABLE refunds DROP COLUMN look_failures, DROP COLUMN next_look_at, ADD COLUMN swept_at timestamptz;
CREATE INDEX refunds_open ON refunds (created_at) WHERE status = 'pending';

DROP INDEX capture_access_ending, capture_access_open;
ALTER TABLE capture_access DROP COLUMN look_failures, DROP COLUMN next_look_at;
CREATE INDEX capture_access_open ON capture_access (ends_at) WHERE status <> 'ended';

DROP TABLE payment_looks;
DROP INDEX attempts_under_way, payments_overdue, payments_not_started;
ALTER TABLE attempts DROP COLUMN watched;
ALTER TABLE payments DROP COLUMN watched;
CREATE INDEX payments_not_started ON payments (created_at) WHERE workflow_started_at IS NULL;
CREATE INDEX payments_open ON payments (created_at, id) WHERE finalized_at IS NULL;
CREATE INDEX attempts_under_way ON attempts (started_at) WHERE status = 'processing';
