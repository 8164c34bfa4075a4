-- Up Migration

CREATE TABLE refunds (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  payment_id uuid NOT NULL REFERENCES payments (id),
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000000),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  reason text CHECK (reason IN ('duplicate', 'fraudulent', 'requestedByCustomer', 'other')),
  reference text CHECK (char_length(reference) BETWEEN 1 AND 255),
  failure_code text CHECK (char_length(failure_code) BETWEEN 1 AND 128),
  failure_message text CHECK (char_length(failure_message) <= 500),
  metadata json NOT NULL,
  created_at timestamptz NOT NULL,
  submit_after timestamptz NOT NULL,
  -- Written before the network is called: a refund that may have left cannot be canceled.
  submitted_at timestamptz,
  succeeded_at timestamptz,
  failed_at timestamptz,
  -- When the sweeper last made sure that a workflow runs.
  swept_at timestamptz,
  CHECK (status <> 'canceled' OR submitted_at IS NULL),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL))
);
CREATE INDEX refunds_payment ON refunds (payment_id);
CREATE INDEX refunds_list ON refunds (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX refunds_open ON refunds (created_at) WHERE status = 'pending';

-- The second net under src/domain/refund.ts.
CREATE FUNCTION refuse_refund_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.amount_cents <> OLD.amount_cents OR NEW.payment_id <> OLD.payment_id THEN
    RAISE EXCEPTION 'the terms of a refund may not change' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) NOT IN (
    'pending>succeeded', 'pending>failed', 'pending>canceled', 'succeeded>failed'
  ) THEN
    RAISE EXCEPTION 'refund status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_edges BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_refund_change();

CREATE TABLE disputes (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  payment_id uuid NOT NULL REFERENCES payments (id),
  provider_reference text NOT NULL UNIQUE,
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 1 AND 100000000),
  reason text NOT NULL,
  stage text NOT NULL CHECK (stage IN ('inquiry', 'chargeback', 'preArbitration')),
  status text NOT NULL CHECK (status IN ('needsResponse', 'underReview', 'won', 'lost')),
  resolution text CHECK (resolution IN ('decided', 'accepted', 'withdrawn')),
  evidence json NOT NULL DEFAULT '{}',
  evidence_due_at timestamptz NOT NULL,
  submitted_at timestamptz,
  auto_submit boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  closed_at timestamptz,
  -- The hours before the deadline of which the merchant was reminded.
  reminded smallint[] NOT NULL DEFAULT '{}',
  swept_at timestamptz,
  CHECK ((status IN ('won', 'lost')) = (closed_at IS NOT NULL)),
  CHECK ((resolution IS NOT NULL) = (closed_at IS NOT NULL))
);
CREATE INDEX disputes_payment ON disputes (payment_id);
CREATE INDEX disputes_list ON disputes (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX disputes_open ON disputes (created_at) WHERE closed_at IS NULL;

-- When the network is next asked for disputes of a paid payment that nobody told us of; NULL: not asked yet.
ALTER TABLE payments ADD COLUMN disputes_due_at timestamptz;
CREATE INDEX payments_disputes_due ON payments (coalesce(disputes_due_at, paid_at)) WHERE paid_at IS NOT NULL;

-- The outcome ordered for an attempt that the sandbox makes in the customer's place, without a card.
ALTER TABLE attempt_inputs ADD COLUMN simulated json;

-- The answer of a keyed operation whose result does not follow from stored fields; replayed as it was.
CREATE TABLE keyed_answers (
  merchant_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  answer json NOT NULL,
  PRIMARY KEY (merchant_id, operation, key),
  FOREIGN KEY (merchant_id, operation, key) REFERENCES idempotency_keys (merchant_id, operation, key) ON DELETE CASCADE
);

-- Trouble ordered for a merchant's next webhook deliveries (sandbox).
CREATE TABLE sandbox_webhook_faults (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  payment_id uuid REFERENCES payments (id),
  mode text NOT NULL CHECK (mode IN ('timeout', 'lostResponse', 'error', 'slow')),
  turns_left integer NOT NULL CHECK (turns_left BETWEEN 0 AND 1000)
);
CREATE INDEX sandbox_webhook_faults_merchant ON sandbox_webhook_faults (merchant_id);

-- A refund that was on its way when a dispute opened may complete it before the dispute is withdrawn.
CREATE OR REPLACE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = OLD.status THEN RETURN NEW; END IF;
  IF (OLD.status || '>' || NEW.status) NOT IN (
    'pending>requiresAction', 'pending>paid', 'pending>failed',
    'requiresAction>pending', 'requiresAction>paid', 'requiresAction>failed',
    'paid>partiallyRefunded', 'paid>refunded', 'paid>disputed',
    'partiallyRefunded>refunded', 'partiallyRefunded>disputed', 'partiallyRefunded>paid',
    'refunded>partiallyRefunded', 'refunded>paid',
    'disputed>disputeWon', 'disputed>disputeLost', 'disputed>paid', 'disputed>partiallyRefunded', 'disputed>refunded',
    'disputeWon>partiallyRefunded', 'disputeWon>refunded', 'disputeWon>disputed'
  ) THEN
    RAISE EXCEPTION 'payment status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- Down Migration

DROP TABLE sandbox_webhook_faults, keyed_answers, disputes, refunds;
DROP FUNCTION refuse_refund_change;
ALTER TABLE attempt_inputs DROP COLUMN simulated;
DROP INDEX payments_disputes_due;
ALTER TABLE payments DROP COLUMN disputes_due_at;
CREATE OR REPLACE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = OLD.status THEN RETURN NEW; END IF;
  IF (OLD.status || '>' || NEW.status) NOT IN (
    'pending>requiresAction', 'pending>paid', 'pending>failed',
    'requiresAction>pending', 'requiresAction>paid', 'requiresAction>failed',
    'paid>partiallyRefunded', 'paid>refunded', 'paid>disputed',
    'partiallyRefunded>refunded', 'partiallyRefunded>disputed', 'partiallyRefunded>paid',
    'refunded>partiallyRefunded', 'refunded>paid',
    'disputed>disputeWon', 'disputed>disputeLost', 'disputed>paid', 'disputed>partiallyRefunded',
    'disputeWon>partiallyRefunded', 'disputeWon>refunded', 'disputeWon>disputed'
  ) THEN
    RAISE EXCEPTION 'payment status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
