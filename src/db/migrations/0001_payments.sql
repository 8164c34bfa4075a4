-- Up Migration

CREATE TABLE merchants (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('inactive', 'active', 'disabled')),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE merchant_settings (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  methods text[] NOT NULL,
  custom_mode boolean NOT NULL DEFAULT false,
  custom_actions boolean NOT NULL DEFAULT false,
  hosted_form boolean NOT NULL DEFAULT false,
  embedding_origins text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, environment)
);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  -- NULL: the merchant's own settings apply.
  methods text[],
  embedding_origins text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);

CREATE TABLE payments (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  checkout_mode text NOT NULL CHECK (checkout_mode IN ('hosted', 'custom')),
  reference text NOT NULL CHECK (char_length(reference) BETWEEN 1 AND 255),
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 500 AND 100000000),
  refunded_cents bigint NOT NULL DEFAULT 0 CHECK (refunded_cents BETWEEN 0 AND amount_cents),
  currency text NOT NULL CHECK (currency = 'USD'),
  status text NOT NULL DEFAULT 'pending',
  method text CHECK (method IN ('card', 'wallet', 'pix')),
  customer_email text,
  customer_name text,
  -- documentNumber and phone: for the provider only, never read back.
  customer_private_sealed bytea,
  -- json, not jsonb: what was sent comes back as sent.
  metadata json NOT NULL,
  success_url text NOT NULL,
  cancel_url text NOT NULL,
  fixed_method text CHECK (fixed_method IN ('card', 'wallet')),
  offered_methods text[] NOT NULL,
  embedding_origin text,
  -- Origins that may frame the page, decided at creation (EMBED-02 to -05).
  frame_origins text[] NOT NULL DEFAULT '{}',
  locale text NOT NULL CHECK (locale IN ('en', 'es', 'pt')),
  checkout_url_sealed bytea NOT NULL,
  checkout_token_hash bytea NOT NULL UNIQUE,
  vault_id text NOT NULL UNIQUE CHECK (char_length(vault_id) BETWEEN 1 AND 31),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  capture_expires_at timestamptz NOT NULL,
  checkout_status text NOT NULL DEFAULT 'open'
    CHECK (checkout_status IN ('open', 'processing', 'requiresAction', 'paid', 'failed_retryable', 'expired')),
  terminal_reason text CHECK (terminal_reason IN ('checkout_expired', 'attempts_exhausted', 'provider_failed')),
  attempts_left smallint NOT NULL DEFAULT 5 CHECK (attempts_left BETWEEN 0 AND 5),
  -- Rises with every transition the workflow commits; an older or repeated write changes nothing.
  state_seq integer NOT NULL DEFAULT 0,
  event_seq integer NOT NULL DEFAULT 0,
  -- No transition of the checkout can follow: the workflow has nothing left to do.
  settled_at timestamptz,
  accepted_token_hash bytea,
  failure_code text CHECK (char_length(failure_code) BETWEEN 1 AND 128),
  failure_message text CHECK (char_length(failure_message) <= 500),
  card_bin text CHECK (card_bin ~ '^[0-9]{6,8}$'),
  card_issuer jsonb,
  card_brand text,
  card_last4 text CHECK (card_last4 ~ '^[0-9]{4}$'),
  paid_at timestamptz,
  refunded_at timestamptz,
  workflow_started_at timestamptz,
  CHECK ((checkout_status = 'expired') = (terminal_reason IS NOT NULL)),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  CHECK (capture_expires_at <= expires_at)
);

CREATE INDEX payments_list ON payments (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX payments_list_by_status ON payments (merchant_id, environment, status, created_at DESC, id DESC);
CREATE INDEX payments_unsettled ON payments (created_at) WHERE settled_at IS NULL;

-- The second net under src/domain/statuses.ts: an edge that is not listed there is refused here too.
CREATE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER payments_status_edges BEFORE UPDATE OF status ON payments
  FOR EACH ROW EXECUTE FUNCTION refuse_status_change();

-- What a payment was created with never changes (I14).
CREATE FUNCTION refuse_changed_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the terms of a payment may not change' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER payments_terms BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((OLD.id, OLD.merchant_id, OLD.environment, OLD.amount_cents, OLD.currency, OLD.reference, OLD.metadata::text,
         OLD.created_at)
        IS DISTINCT FROM
        (NEW.id, NEW.merchant_id, NEW.environment, NEW.amount_cents, NEW.currency, NEW.reference, NEW.metadata::text,
         NEW.created_at))
  EXECUTE FUNCTION refuse_changed_terms();

CREATE TABLE capture_access (
  payment_id uuid PRIMARY KEY REFERENCES payments (id),
  -- Sealed, not hashed: every prepare returns the same access (CAPTURE-07). Wiped when the access ends.
  secret_sealed bytea,
  capture_url text,
  registered_at timestamptz,
  ended_at timestamptz
);

CREATE TABLE attempt_inputs (
  id uuid PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES payments (id),
  method text NOT NULL CHECK (method IN ('card', 'wallet', 'pix')),
  -- Wiped when the checkout closes.
  token_sealed bytea,
  capture_reference text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX attempt_inputs_payment ON attempt_inputs (payment_id);

CREATE TABLE attempts (
  payment_id uuid NOT NULL REFERENCES payments (id),
  attempt_no integer NOT NULL CHECK (attempt_no >= 1),
  status text NOT NULL CHECK (status IN ('processing', 'requiresAction', 'paid', 'declined', 'failed', 'voided')),
  method text NOT NULL CHECK (method IN ('card', 'wallet', 'pix')),
  card_bin text,
  card_issuer jsonb,
  card_brand text,
  card_last4 text,
  failure_code text,
  failure_message text,
  action_kind text CHECK (action_kind IN ('threeDS', 'wallet', 'pix')),
  -- JSON of the provider's action; wiped when the action is over.
  action_sealed bytea,
  action_token_hash bytea UNIQUE,
  started_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  PRIMARY KEY (payment_id, attempt_no)
);
-- The fence's second net: at most one open attempt per payment, whatever the workflow believes.
CREATE UNIQUE INDEX attempts_one_open ON attempts (payment_id) WHERE status IN ('processing', 'requiresAction');

CREATE TABLE events (
  id text PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL,
  payment_id uuid NOT NULL REFERENCES payments (id),
  sequence integer NOT NULL,
  state_seq integer,
  type text NOT NULL,
  previous_status text,
  -- The `data` object as it was when the event happened.
  data json NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (payment_id, sequence)
);
CREATE INDEX events_list ON events (merchant_id, environment, created_at DESC, id DESC);

CREATE TABLE idempotency_keys (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  operation text NOT NULL,
  key text NOT NULL,
  environment text NOT NULL,
  body_hash bytea NOT NULL,
  -- The id of what the first request made: a retry after any crash walks the same path.
  resource_id uuid NOT NULL,
  finished boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  lease_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, operation, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

-- Losing the counters in a crash only forgives a burst, so they need no write-ahead log.
CREATE UNLOGGED TABLE rate_limits (
  bucket text PRIMARY KEY,
  -- Theoretical arrival time of the generic cell rate algorithm.
  arrival timestamptz NOT NULL
);

-- Takes one call from each bucket (generic cell rate algorithm): a bucket holds `bursts[i]` calls and gains one every
-- `gaps_us[i]` microseconds. Answers the first bucket that refuses (1-based, 0 for none) with the wait until it would
-- admit, and what is left in the first bucket.
CREATE FUNCTION take_rate(names text[], gaps_us bigint[], bursts integer[],
  OUT refused integer, OUT wait_ms integer, OUT remaining integer) LANGUAGE plpgsql AS $$
DECLARE
  instant timestamptz;
  gap interval;
  taken timestamptz;
BEGIN
  refused := 0;
  wait_ms := 0;
  FOR i IN 1 .. array_length(names, 1) LOOP
    gap := gaps_us[i] * interval '1 microsecond';
    instant := clock_timestamp();
    INSERT INTO rate_limits AS r (bucket, arrival) VALUES (names[i], instant + gap)
    ON CONFLICT (bucket) DO UPDATE SET arrival = greatest(r.arrival, instant) + gap
      WHERE greatest(r.arrival, instant) + gap - instant <= bursts[i] * gap
    RETURNING arrival INTO taken;
    IF taken IS NULL THEN
      refused := i;
      SELECT ceil(1000 * extract(epoch FROM r.arrival + gap - instant - bursts[i] * gap))::integer INTO wait_ms
        FROM rate_limits r WHERE r.bucket = names[i];
      wait_ms := greatest(wait_ms, 1);
      IF i = 1 THEN remaining := 0; END IF;
      RETURN;
    END IF;
    IF i = 1 THEN remaining := floor(extract(epoch FROM instant + bursts[i] * gap - taken) / extract(epoch FROM gap)); END IF;
    taken := NULL;
  END LOOP;
END $$;

-- Down Migration

DROP TABLE rate_limits, idempotency_keys, events, attempts, attempt_inputs, capture_access, payments, api_keys,
  merchant_settings, merchants;
DROP FUNCTION refuse_status_change, refuse_changed_terms, take_rate;
