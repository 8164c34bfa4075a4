-- Up Migration

-- Comparisons of the provider's lists with the rows, each over one span of one merchant. docs/reconciliation.md. There
-- are no foreign keys to tables in use, because making one stops their writers.
CREATE TABLE reconciliation_runs (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- What the provider created in this span is compared; the end is exclusive.
  span_from timestamptz NOT NULL,
  span_to timestamptz NOT NULL,
  -- The instant of the nightly schedule; NULL: an operator asked for it.
  due_at timestamptz,
  status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'complete', 'incomplete')),
  -- Why it is incomplete, as a code.
  problem text CHECK (char_length(problem) <= 64),
  charges integer NOT NULL DEFAULT 0, refunds integer NOT NULL DEFAULT 0, disputes integer NOT NULL DEFAULT 0,
  -- What the provider lists, by currency and day (UTC).
  totals jsonb NOT NULL DEFAULT '[]',
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When its workflow last did something, or was last started.
  progressed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CONSTRAINT reconciliation_runs_span CHECK (span_from < span_to),
  CONSTRAINT reconciliation_runs_finished CHECK ((status = 'running') = (finished_at IS NULL))
);
-- One nightly run of each merchant and environment, also where two processes lead for a moment.
CREATE UNIQUE INDEX reconciliation_runs_nightly ON reconciliation_runs (merchant_id, environment, due_at)
  WHERE due_at IS NOT NULL;
-- A second request for a span that is being compared is the same run.
CREATE UNIQUE INDEX reconciliation_runs_same ON reconciliation_runs (merchant_id, environment, span_from, span_to)
  WHERE status = 'running';
CREATE INDEX reconciliation_runs_list ON reconciliation_runs (merchant_id, environment, started_at DESC, id DESC);
-- What the sweep starts again: runs without progress.
CREATE INDEX reconciliation_runs_open ON reconciliation_runs (progressed_at) WHERE status = 'running';
-- What is deleted after its retention.
CREATE INDEX reconciliation_runs_age ON reconciliation_runs (started_at);
ALTER TABLE reconciliation_runs ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON reconciliation_runs FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON reconciliation_runs TO card_payments_tenant;

-- What the provider listed for a run that is under way, so that no process holds more than a page. Deleted with its end.
CREATE TABLE reconciliation_items (
  run_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'dispute')),
  -- The provider's name: what it lists twice is one row.
  reference text NOT NULL,
  connector_id uuid,
  -- The payment that the provider names, where that can be one of ours.
  payment_id uuid,
  attempt_no integer,
  -- Ours of a refund, and the id under which a refund that was made at the provider is stored.
  refund_id uuid, provider_refund_id uuid,
  -- As the provider says.
  key text, named_payment text,
  amount_cents bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (run_id, kind, reference)
);
-- Charges and refunds of one payment.
CREATE INDEX reconciliation_items_payment ON reconciliation_items (run_id, kind, payment_id);

-- Where the two differ. A row without an action is still to be looked at by its key; it is deleted when the two agree.
CREATE TABLE reconciliation_differences (
  run_id uuid NOT NULL,
  merchant_id uuid NOT NULL,
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- What differs: a charge, a refund, a payment's refunds or a dispute.
  subject text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('charge_unknown_here', 'charge_missing_there', 'amount_differs',
    'captured_but_not_paid', 'paid_but_not_captured', 'captured_twice', 'refund_unknown_here', 'refund_missing_there',
    'refund_amount_differs', 'refund_status_differs', 'refunded_too_much', 'dispute_unknown_here',
    'dispute_status_differs', 'unresolved_too_long')),
  -- What a look by key needs. The payment as the provider names it, where it is not one of ours.
  connector_id uuid,
  payment_id text,
  attempt_no integer,
  refund_id uuid,
  reference text,
  -- What the two say: amount, currency and status. NULL: that side has nothing.
  ours jsonb, theirs jsonb,
  -- When what differs was created, by the side that has it.
  created_at timestamptz NOT NULL,
  action text CHECK (action IN ('healed', 'needs_attention')),
  -- How often it was looked at by its key, and when last; whether a repair was begun.
  looks integer NOT NULL DEFAULT 0,
  looked_at timestamptz,
  repaired boolean NOT NULL DEFAULT false,
  -- Its number in the finished run.
  number integer,
  found_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- An operator or the merchant dealt with it.
  settled_at timestamptz, settled_by text CHECK (char_length(settled_by) <= 255),
  note text CHECK (char_length(note) <= 1000),
  -- A later complete run of its span did not find it, or found it itself.
  ended_at timestamptz,
  PRIMARY KEY (run_id, subject)
);
-- What is open, for the alert.
CREATE INDEX reconciliation_differences_open ON reconciliation_differences (merchant_id, environment, created_at)
  WHERE action = 'needs_attention' AND settled_at IS NULL AND ended_at IS NULL;
-- The same difference in an earlier run.
CREATE INDEX reconciliation_differences_settled ON reconciliation_differences (merchant_id, environment, subject)
  WHERE settled_at IS NOT NULL;
ALTER TABLE reconciliation_differences ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON reconciliation_differences FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON reconciliation_differences TO card_payments_tenant;

-- Down Migration

DROP TABLE reconciliation_differences, reconciliation_items, reconciliation_runs;
