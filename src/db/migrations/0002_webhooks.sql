-- Up Migration

-- `endpoint.test` belongs to no payment.
ALTER TABLE events ALTER COLUMN payment_id DROP NOT NULL;

-- Place in the log of one merchant and environment: whoever has read up to a place has missed nothing before it.
ALTER TABLE events ADD COLUMN position bigint;
CREATE SEQUENCE events_position OWNED BY events.position;
UPDATE events SET position = placed.position
  FROM (SELECT id, row_number() OVER (ORDER BY created_at, payment_id, sequence) AS position FROM events) AS placed
  WHERE placed.id = events.id;
SELECT setval('events_position', greatest((SELECT max(position) FROM events), 1));
ALTER TABLE events ALTER COLUMN position SET NOT NULL;
CREATE UNIQUE INDEX events_log ON events (merchant_id, environment, position);
CREATE INDEX events_age ON events (created_at);

-- Held until commit, so that places become visible in their order: without it a reader could pass a place whose
-- transaction is still running and never come back to it. Events are written last, so it is held for one commit.
CREATE FUNCTION place_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('events ' || NEW.merchant_id::text || ' ' || NEW.environment, 0));
  NEW.position := nextval('events_position');
  RETURN NEW;
END $$;
CREATE TRIGGER events_place BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION place_event();

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
  -- Signs beside the new one until then.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL))
);
CREATE INDEX webhook_endpoints_owner ON webhook_endpoints (merchant_id, environment, created_at)
  WHERE deleted_at IS NULL;

-- One row for each event and endpoint, written with the event.
CREATE TABLE webhook_deliveries (
  event_id text NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints (id),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
  -- Tries of this round; a redelivery begins another.
  tries integer NOT NULL DEFAULT 0,
  attempt_count integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  -- When its workflow was last known to be there.
  started_at timestamptz,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (due_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, event_id DESC);

CREATE TABLE webhook_attempts (
  event_id text NOT NULL,
  endpoint_id uuid NOT NULL,
  attempt_no integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error text,
  -- The beginning of what the endpoint answered to a try that failed.
  response_excerpt text CHECK (octet_length(response_excerpt) <= 1024),
  PRIMARY KEY (event_id, endpoint_id, attempt_no),
  FOREIGN KEY (event_id, endpoint_id) REFERENCES webhook_deliveries (event_id, endpoint_id) ON DELETE CASCADE
);

-- Down Migration

DROP TABLE webhook_attempts, webhook_deliveries, webhook_endpoints;
DROP TRIGGER events_place ON events;
DROP FUNCTION place_event;
DROP INDEX events_log, events_age;
ALTER TABLE events DROP COLUMN position;
DELETE FROM events WHERE payment_id IS NULL;
ALTER TABLE events ALTER COLUMN payment_id SET NOT NULL;
