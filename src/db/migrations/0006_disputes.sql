-- Up Migration

-- Disputes that the network opened, each driven by a workflow of its own. docs/refunds-and-disputes.md.
CREATE TABLE disputes (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  payment_id uuid NOT NULL REFERENCES payments (id),
  -- The provider's name: a dispute that is reported twice is stored once.
  provider_reference text NOT NULL UNIQUE,
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000000),
  reason text NOT NULL,
  stage text NOT NULL CHECK (stage IN ('inquiry', 'chargeback', 'preArbitration')),
  status text NOT NULL CHECK (status IN ('needsResponse', 'underReview', 'won', 'lost')),
  resolution text CHECK (resolution IN ('decided', 'accepted', 'withdrawn')),
  evidence json NOT NULL DEFAULT '{}',
  evidence_due_at timestamptz NOT NULL,
  -- Whether staged evidence is submitted an hour before the deadline, and whether it was.
  auto_submit boolean NOT NULL DEFAULT true,
  auto_submitted boolean NOT NULL DEFAULT false,
  submitted_at timestamptz,
  -- The hours before the deadline at which the merchant was reminded.
  reminded smallint[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL, closed_at timestamptz,
  -- When its workflow is next needed; NULL: never again.
  next_check_at timestamptz,
  check_failures integer NOT NULL DEFAULT 0,
  -- A closed dispute is won or lost, and only a closed one.
  CONSTRAINT disputes_closed_with_outcome CHECK ((status IN ('won', 'lost')) = (closed_at IS NOT NULL)),
  -- How it was closed is known from that moment on.
  CONSTRAINT disputes_resolution_of_closed CHECK ((resolution IS NOT NULL) = (closed_at IS NOT NULL))
);
-- The disputes of a payment.
CREATE INDEX disputes_payment ON disputes (payment_id);
-- The list of a merchant, newest first, and the same by status.
CREATE INDEX disputes_list ON disputes (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX disputes_list_by_status ON disputes (merchant_id, environment, status, created_at DESC, id DESC);
-- The list by deadline (`dueBefore`), which is read by cursor, and the same by status.
CREATE INDEX disputes_due_list ON disputes (merchant_id, environment, evidence_due_at, id);
CREATE INDEX disputes_due_list_by_status ON disputes (merchant_id, environment, status, evidence_due_at, id);
-- What the sweep checks next.
CREATE INDEX disputes_due ON disputes (next_check_at) WHERE next_check_at IS NOT NULL;
ALTER TABLE disputes ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON disputes FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON disputes TO card_payments_tenant;

-- Disputes that the provider reported and that are not stored yet. Written with the cursor of the provider's list, so
-- that no report is lost before the dispute's workflow has stored it.
CREATE TABLE dispute_hints (
  id uuid PRIMARY KEY,
  provider_reference text NOT NULL,
  payment_id uuid NOT NULL,
  next_check_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0 -- in a row
);
-- What the sweep starts next.
CREATE INDEX dispute_hints_due ON dispute_hints (next_check_at);
-- Down Migration
DROP TABLE dispute_hints, disputes;
