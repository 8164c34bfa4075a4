-- Up Migration

-- What happened, in the words that webhooks carry; kept for 90 days. docs/webhooks.md.
CREATE TABLE events (
  id text PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL,
  -- Place in the log: a reader that has read up to a position has missed nothing before it. ADR 0009.
  position bigint NOT NULL,
  -- NULL: `endpoint.test` belongs to no payment.
  payment_id uuid REFERENCES payments (id),
  -- Rises by one per payment.
  sequence integer NOT NULL,
  -- The transition of the workflow that made it, so that a repeated commit finds it; NULL for other sources.
  state_seq integer,
  type text NOT NULL,
  previous_status text,
  -- The `data` object as it was when the event happened.
  data json NOT NULL,
  created_at timestamptz NOT NULL,
  -- A number of a payment's events is given once.
  UNIQUE (payment_id, sequence)
);
CREATE SEQUENCE events_position OWNED BY events.position;
-- The log in its order, and the same by type.
CREATE UNIQUE INDEX events_log ON events (merchant_id, environment, position);
CREATE INDEX events_log_by_type ON events (merchant_id, environment, type, position);
-- The log from its newest event, and the same by type.
CREATE INDEX events_newest ON events (merchant_id, environment, created_at DESC, position DESC);
CREATE INDEX events_newest_by_type ON events (merchant_id, environment, type, created_at DESC, position DESC);
-- What the sweep deletes after 90 days.
CREATE INDEX events_age ON events (created_at);
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON events FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON events TO card_payments_tenant;

-- Assigns the position under a lock that is held until the commit, so that positions become visible in their order:
-- without it a reader could pass a position whose transaction is still open, and never return to it. Events are
-- written last in their transaction, so that the lock is held for no longer than a commit takes.
CREATE FUNCTION assign_event_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('events ' || NEW.merchant_id::text || ' ' || NEW.environment, 0));
  NEW.position := nextval('events_position');
  RETURN NEW;
END $$;
CREATE TRIGGER events_assign_position BEFORE INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION assign_event_position();

-- Where events are delivered. A deleted endpoint stays, for the deliveries that refer to it.
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  url text NOT NULL CHECK (char_length(url) BETWEEN 1 AND 2048),
  description text CHECK (char_length(description) <= 255),
  -- Event types or groups such as `payment.*`; NULL: all.
  events text[],
  status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
  disabled_reason text CHECK (disabled_reason IN ('merchant', 'operator', 'gone', 'failing')),
  secret_sealed bytea NOT NULL,
  -- Signs beside the new secret until then, so that the receiver can change over.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  -- The first failure since the last success: an endpoint that fails for long is disabled.
  failing_since timestamptz,
  created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, deleted_at timestamptz,
  -- A disabled endpoint shows why, and only a disabled one.
  CONSTRAINT webhook_endpoints_reason_of_disabled CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL))
);
-- The endpoints that an event is delivered to.
CREATE INDEX webhook_endpoints_owner ON webhook_endpoints (merchant_id, environment, created_at)
  WHERE deleted_at IS NULL;
-- Previous secrets that the sweep deletes.
CREATE INDEX webhook_endpoints_old_secret ON webhook_endpoints (previous_secret_until)
  WHERE previous_secret_until IS NOT NULL;
ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_endpoints FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON webhook_endpoints TO card_payments_tenant;

-- One row for each event and endpoint, written with the event, so that no delivery is lost with a process.
CREATE TABLE webhook_deliveries (
  event_id text NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
  -- Tries of this round; a redelivery begins another.
  tries integer NOT NULL DEFAULT 0,
  -- Tries of all rounds.
  attempt_count integer NOT NULL DEFAULT 0,
  -- When the next try is due.
  due_at timestamptz NOT NULL,
  -- When its workflow last was known to run.
  started_at timestamptz,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  -- When the sweep next checks that a workflow runs; a delivery needs no check before its first three seconds.
  next_check_at timestamptz NOT NULL DEFAULT now() + interval '3 seconds',
  check_failures integer NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, endpoint_id)
);
-- The deliveries to an endpoint, newest first, and the same by status.
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (endpoint_id, status, created_at DESC, event_id DESC);
-- What the sweep checks next.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_check_at) WHERE status = 'pending';
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_deliveries FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
GRANT SELECT ON webhook_deliveries TO card_payments_tenant;

-- The tries of a delivery, so that a merchant can see why its endpoint did not take it.
CREATE TABLE webhook_attempts (
  event_id text NOT NULL,
  endpoint_id uuid NOT NULL,
  attempt_no integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error text,
  -- The beginning of the response to a try that failed.
  response_excerpt text CHECK (octet_length(response_excerpt) <= 1024),
  PRIMARY KEY (event_id, endpoint_id, attempt_no),
  FOREIGN KEY (event_id, endpoint_id) REFERENCES webhook_deliveries (event_id, endpoint_id) ON DELETE CASCADE
);
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON webhook_attempts FOR SELECT TO card_payments_tenant
  USING (EXISTS (SELECT FROM webhook_endpoints w WHERE w.id = endpoint_id));
GRANT SELECT ON webhook_attempts TO card_payments_tenant;

-- Faults that a merchant ordered in the sandbox for its next deliveries.
CREATE TABLE sandbox_webhook_faults (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  -- NULL: deliveries about any payment.
  payment_id uuid REFERENCES payments (id),
  mode text NOT NULL CHECK (mode IN ('timeout', 'lostResponse', 'error', 'slow')),
  turns_left integer NOT NULL CHECK (turns_left BETWEEN 0 AND 1000)
);
-- A delivery asks for the faults of its merchant.
CREATE INDEX sandbox_webhook_faults_merchant ON sandbox_webhook_faults (merchant_id);
-- Down Migration
DROP TABLE sandbox_webhook_faults, webhook_attempts, webhook_deliveries, webhook_endpoints, events;
DROP FUNCTION assign_event_position;
