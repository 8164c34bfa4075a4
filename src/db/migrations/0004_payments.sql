-- Up Migration

-- A payment with its checkout, as it is now. Its workflow owns every change after creation. docs/architecture.md.
CREATE TABLE payments (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),

  -- What the merchant ordered; never changes (payments_terms).
  reference text NOT NULL CHECK (char_length(reference) BETWEEN 1 AND 255),
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 500 AND 100000000),
  currency text NOT NULL CHECK (currency = 'USD'),
  -- json, not jsonb: what was sent is returned as it was sent.
  metadata json NOT NULL,
  customer_email text, customer_name text,
  -- The customer's document number and phone: sent to the provider, never returned.
  customer_private_sealed bytea,
  checkout_mode text NOT NULL CHECK (checkout_mode IN ('hosted', 'custom')),
  fixed_method text CHECK (fixed_method IN ('card', 'wallet')),
  offered_methods text[] NOT NULL,
  locale text NOT NULL CHECK (locale IN ('en', 'es', 'pt')),
  success_url text NOT NULL, cancel_url text NOT NULL,
  embedding_origin text,
  -- Origins that may frame the page, decided at creation (EMBED-02 to -05).
  frame_origins text[] NOT NULL DEFAULT '{}',
  -- The connector it was created with, for ever; NULL: the simulators.
  connector_id uuid REFERENCES connectors (id),
  -- What the vault and the network call it.
  vault_id text NOT NULL UNIQUE CHECK (char_length(vault_id) BETWEEN 1 AND 31),
  checkout_url_sealed bytea NOT NULL,
  -- The page of the payment is found by the hash of its secret.
  checkout_token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  capture_expires_at timestamptz NOT NULL,

  -- The checkout.
  checkout_status text NOT NULL DEFAULT 'open'
    CHECK (checkout_status IN ('open', 'processing', 'requiresAction', 'paid', 'failed_retryable', 'expired')),
  terminal_reason text CHECK (terminal_reason IN ('checkout_expired', 'attempts_exhausted', 'provider_failed')),
  attempts_left smallint NOT NULL DEFAULT 5 CHECK (attempts_left BETWEEN 0 AND 5),
  -- The card token that the last accepted pay brought: a repeated pay is recognized.
  accepted_token_hash bytea,

  -- The payment.
  status text NOT NULL DEFAULT 'pending',
  method text CHECK (method IN ('card', 'wallet', 'pix')),
  card_bin text CHECK (card_bin ~ '^[0-9]{6,8}$'),
  card_issuer jsonb,
  card_brand text,
  card_last4 text CHECK (card_last4 ~ '^[0-9]{4}$'),
  failure_code text CHECK (char_length(failure_code) BETWEEN 1 AND 128),
  failure_message text CHECK (char_length(failure_message) <= 500),
  refunded_cents bigint NOT NULL DEFAULT 0,
  paid_at timestamptz,
  refunded_at timestamptz,
  -- No transition of the checkout can follow: the workflow has nothing left to do.
  finalized_at timestamptz,

  -- The workflow and its commits.
  workflow_started_at timestamptz,
  -- The run that may write this payment. A run that resumes from the rows takes it over first; what an earlier run
  -- (terminated, reset, frozen) still sends afterwards changes nothing.
  workflow_run_id text,
  -- Rises with every committed transition, so that an older or repeated write changes nothing.
  state_seq integer NOT NULL DEFAULT 0,
  event_seq integer NOT NULL DEFAULT 0,
  -- Rises with every change that is kept in payment_versions.
  version integer NOT NULL DEFAULT 0,
  -- When it became what it is, never earlier than the change before; NULL: at creation.
  changed_at timestamptz,
  -- It has a row in payment_checks, and so is left out of the indexes that find new ones.
  check_scheduled boolean NOT NULL DEFAULT false,

  -- No more is refunded than was paid.
  CONSTRAINT payments_refunded_within_amount CHECK (refunded_cents BETWEEN 0 AND amount_cents),
  -- An expired checkout shows why, and only an expired one.
  CONSTRAINT payments_reason_of_expired CHECK ((checkout_status = 'expired') = (terminal_reason IS NOT NULL)),
  -- A failed payment shows why, and only a failed one.
  CONSTRAINT payments_failure_of_failed CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  -- Cards are captured before the checkout ends.
  CONSTRAINT payments_capture_before_end CHECK (capture_expires_at <= expires_at),
  -- The hosted page takes cards until its deadline; only custom mode has a window before that.
  CONSTRAINT payments_hosted_capture CHECK (checkout_mode = 'custom' OR capture_expires_at = expires_at)
);
-- The list of a merchant, newest first, and the same by status.
CREATE INDEX payments_list ON payments (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX payments_list_by_status ON payments (merchant_id, environment, status, created_at DESC, id DESC);
-- Search by what a payment was ordered with.
CREATE INDEX payments_by_reference ON payments (merchant_id, environment, reference, created_at DESC, id DESC);
CREATE INDEX payments_by_amount ON payments (merchant_id, environment, amount_cents, created_at DESC, id DESC);
-- What the sweep finds: payments whose workflow was not started, and payments that outlived their deadline.
CREATE INDEX payments_not_started ON payments (created_at) WHERE workflow_started_at IS NULL AND NOT check_scheduled;
CREATE INDEX payments_overdue ON payments (expires_at) WHERE finalized_at IS NULL AND NOT check_scheduled;
ALTER TABLE payments ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payments FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON payments TO card_payments_tenant;

-- Backs up src/domain/statuses.ts: an edge that is not listed there is refused here too. A refund that was on its way
-- when a dispute opened may complete it before the dispute is withdrawn (disputed>refunded).
CREATE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- Another connector would look for the money at another provider.
CREATE TRIGGER payments_connector_terms BEFORE UPDATE OF connector_id ON payments FOR EACH ROW
  WHEN (OLD.connector_id IS DISTINCT FROM NEW.connector_id) EXECUTE FUNCTION refuse_changed_terms();

-- What a payment was before each change of what callers read of it, in the order of the changes. With the row of the
-- payment it holds every state that the payment was ever in. ADR 0019.
CREATE TABLE payment_versions (
  payment_id uuid NOT NULL REFERENCES payments (id) ON DELETE CASCADE,
  version integer NOT NULL,
  -- The end of this version, exclusive.
  until timestamptz NOT NULL,
  event_seq integer NOT NULL,
  status text NOT NULL, checkout_status text NOT NULL, terminal_reason text, attempts_left smallint NOT NULL,
  method text, refunded_cents bigint NOT NULL, expires_at timestamptz NOT NULL, capture_expires_at timestamptz NOT NULL,
  failure_code text, failure_message text, card_bin text, card_issuer jsonb, card_brand text, card_last4 text,
  paid_at timestamptz, refunded_at timestamptz, finalized_at timestamptz,
  PRIMARY KEY (payment_id, version)
);
ALTER TABLE payment_versions ENABLE ROW LEVEL SECURITY;
-- Keys and members read the history of their payments. A scalar subquery asks for the one payment. Of an EXISTS the
-- planner may make a list of all payments of the tenant, and does while its statistics say that they are few.
CREATE POLICY own_rows ON payment_versions FOR SELECT TO card_payments_tenant
  USING ((SELECT true FROM payments p WHERE p.id = payment_id));
GRANT SELECT ON payment_versions TO card_payments_tenant;

-- Stores the version before a change, in the commit of the change, so that none is missing.
CREATE FUNCTION record_payment_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A statement that decides on the change gives its instant. Milliseconds, as in all answers.
  IF NEW.changed_at IS NOT DISTINCT FROM OLD.changed_at THEN NEW.changed_at := clock_timestamp(); END IF;
  NEW.changed_at := date_trunc('milliseconds', greatest(NEW.changed_at, OLD.changed_at, OLD.created_at));
  NEW.version := OLD.version + 1;
  INSERT INTO payment_versions (payment_id, version, until, event_seq, status, checkout_status, terminal_reason,
    attempts_left, method, refunded_cents, expires_at, capture_expires_at, failure_code, failure_message,
    card_bin, card_issuer, card_brand, card_last4, paid_at, refunded_at, finalized_at)
  VALUES (OLD.id, OLD.version, NEW.changed_at, OLD.event_seq, OLD.status, OLD.checkout_status, OLD.terminal_reason,
    OLD.attempts_left, OLD.method, OLD.refunded_cents, OLD.expires_at, OLD.capture_expires_at, OLD.failure_code,
    OLD.failure_message, OLD.card_bin, OLD.card_issuer, OLD.card_brand, OLD.card_last4, OLD.paid_at,
    OLD.refunded_at, OLD.finalized_at);
  RETURN NEW;
END $$;
-- Only a change of what callers read makes a version: numbers of commits and checks do not.
CREATE TRIGGER payments_versions BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((OLD.status, OLD.checkout_status, OLD.terminal_reason, OLD.attempts_left, OLD.method, OLD.refunded_cents,
         OLD.expires_at, OLD.capture_expires_at, OLD.failure_code, OLD.failure_message, OLD.card_bin,
         OLD.card_issuer, OLD.card_brand, OLD.card_last4, OLD.paid_at, OLD.refunded_at, OLD.finalized_at)
        IS DISTINCT FROM
        (NEW.status, NEW.checkout_status, NEW.terminal_reason, NEW.attempts_left, NEW.method, NEW.refunded_cents,
         NEW.expires_at, NEW.capture_expires_at, NEW.failure_code, NEW.failure_message, NEW.card_bin,
         NEW.card_issuer, NEW.card_brand, NEW.card_last4, NEW.paid_at, NEW.refunded_at, NEW.finalized_at))
  EXECUTE FUNCTION record_payment_version();

-- The attempts to pay. A row is the reservation of its attempt: it is committed before the provider is called, so that
-- no charge can exist that the rows do not know. ADR 0013.
CREATE TABLE attempts (
  payment_id uuid NOT NULL REFERENCES payments (id),
  attempt_no integer NOT NULL CHECK (attempt_no >= 1),
  -- The request or sandbox order that reserved it: a repeated one is the same attempt.
  request_id uuid,
  method text NOT NULL CHECK (method IN ('card', 'wallet', 'pix')),
  -- `released`: the reservation ended before the provider was called.
  status text NOT NULL
    CHECK (status IN ('processing', 'requiresAction', 'paid', 'declined', 'failed', 'voided', 'released')),
  -- The card token; wiped when the attempt is resolved. Its hash recognizes a token that was used before.
  token_sealed bytea,
  token_hash bytea,
  capture_reference text,
  -- The outcome that the sandbox was ordered to simulate; NULL: a real attempt.
  simulated jsonb,
  started_at timestamptz NOT NULL DEFAULT now(),
  -- When a worker claimed it, just before it called the provider: from then on no other may charge, only query.
  claimed_at timestamptz,
  -- The object that a network prepared for the attempt, committed before money can move through it.
  provider_reference text CHECK (length(provider_reference) <= 255),
  -- The provider's last answer, stored by the process that received it; a transition must agree with it.
  answer text CHECK (answer IN
    ('not_sent', 'token_rejected', 'captured', 'declined', 'failed', 'requires_action', 'voided')),
  -- No call waits for its answer any more: the network is queried until it is known.
  unknown_since timestamptz,
  -- When the outcome was first unknown; unlike unknown_since it stays.
  first_unknown_at timestamptz,
  -- The step that the customer has to take, as JSON; wiped when it is over.
  action_kind text CHECK (action_kind IN ('threeDS', 'wallet', 'pix')),
  action_sealed bytea,
  -- The page of the step is found by the hash of its secret.
  action_token_hash bytea UNIQUE,
  -- Until then one caller confirms or cancels the step; others are refused without a call of the workflow.
  action_leased_until timestamptz,
  card_bin text, card_issuer jsonb, card_brand text, card_last4 text,
  failure_code text, failure_message text,
  resolved_at timestamptz,
  -- The payment has a row in payment_checks for it, and so it is left out of the index that finds new ones.
  check_scheduled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (payment_id, attempt_no)
);
-- Backs up the reservation: at most one open attempt per payment, whatever a workflow believes.
CREATE UNIQUE INDEX attempts_one_open ON attempts (payment_id) WHERE status IN ('processing', 'requiresAction');
-- A request reserves one attempt.
CREATE UNIQUE INDEX attempts_request ON attempts (payment_id, request_id);
-- A network's webhook names its own object: the attempt is found by it.
CREATE UNIQUE INDEX attempts_provider_reference ON attempts (provider_reference)
  WHERE provider_reference IS NOT NULL;
-- What the sweep finds: attempts that have been under way for long.
CREATE INDEX attempts_under_way ON attempts (started_at) WHERE status = 'processing' AND NOT check_scheduled;
ALTER TABLE attempts ENABLE ROW LEVEL SECURITY;
-- Keys and members read the attempts of their payments, one payment at a time (see payment_versions).
CREATE POLICY own_rows ON attempts FOR SELECT TO card_payments_tenant
  USING ((SELECT true FROM payments p WHERE p.id = payment_id));
GRANT SELECT ON attempts TO card_payments_tenant;

-- An attempt whose object is forgotten could be charged a second time.
CREATE FUNCTION refuse_changed_reference() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the reference of an attempt may not change' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER attempts_reference BEFORE UPDATE OF provider_reference ON attempts FOR EACH ROW
  WHEN (OLD.provider_reference IS NOT NULL AND OLD.provider_reference IS DISTINCT FROM NEW.provider_reference)
  EXECUTE FUNCTION refuse_changed_reference();

-- Keeps the first instant, because unknown_since is emptied when the outcome is known.
CREATE FUNCTION record_first_unknown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.first_unknown_at := coalesce(OLD.first_unknown_at, NEW.unknown_since);
  RETURN NEW;
END $$;
CREATE TRIGGER attempts_first_unknown BEFORE UPDATE OF unknown_since ON attempts FOR EACH ROW
  WHEN (NEW.unknown_since IS NOT NULL) EXECUTE FUNCTION record_first_unknown();

-- The access of one payment to the vault, through which its cards are captured: reserved here, registered at the
-- vault, ending (the vault is still to be notified), ended.
CREATE TABLE capture_access (
  payment_id uuid PRIMARY KEY REFERENCES payments (id),
  status text NOT NULL DEFAULT 'reserved' CHECK (status IN ('reserved', 'registered', 'ending', 'ended')),
  -- Sealed, not hashed: every prepare returns the same access (CAPTURE-07). Wiped when the access ends.
  secret_sealed bytea,
  -- Where a vault that assigns addresses takes this payment's cards.
  capture_url text CHECK (length(capture_url) <= 2048),
  -- One caller at a time registers at a vault that makes the secret: two would get two secrets.
  registering_until timestamptz,
  ends_at timestamptz NOT NULL,
  -- When the vault is next notified that the access is over.
  next_check_at timestamptz NOT NULL DEFAULT now(),
  check_failures integer NOT NULL DEFAULT 0
);
-- What the sweep ends, and what it still has to notify the vault of.
CREATE INDEX capture_access_open ON capture_access (ends_at) WHERE status IN ('reserved', 'registered');
CREATE INDEX capture_access_ending ON capture_access (next_check_at) WHERE status = 'ending';
ALTER TABLE capture_access ENABLE ROW LEVEL SECURITY;
-- Keys read the access of their payments, one payment at a time (see payment_versions).
CREATE POLICY own_rows ON capture_access FOR SELECT TO card_payments_tenant
  USING ((SELECT true FROM payments p WHERE p.id = payment_id));
GRANT SELECT ON capture_access TO card_payments_tenant;

-- Payments whose cards a vault stores until it is called to delete them; a row is deleted with the cards.
CREATE TABLE captured_cards (
  payment_id uuid PRIMARY KEY,
  next_check_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0 -- in a row
);
-- What the sweep deletes next.
CREATE INDEX captured_cards_due ON captured_cards (next_check_at);

-- Recovery checks: one row for each payment in which something may be wrong, until it is well or final. What changes
-- with every check is stored here and not in the wide row of the payment. ADR 0015, docs/reliability.md. There is no
-- foreign key: its check would wait for the commit of a payment, which may wait for what is locked here.
CREATE TABLE payment_checks (
  payment_id uuid PRIMARY KEY,
  next_check_at timestamptz NOT NULL,
  checks integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0, -- in a row
  last_error_code text CHECK (char_length(last_error_code) <= 64)
);
-- What the sweep checks next.
CREATE INDEX payment_checks_due ON payment_checks (next_check_at);

-- What a search finds payments by that their rows do not show: the customer's e-mail address in lower case, the last
-- four digits of any card that was tried, any method that was tried. Kept as long as the payment. ADR 0020.
CREATE TABLE payment_search_terms (
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('email', 'last4', 'method')),
  term text NOT NULL,
  -- The payment's own, for the order of what is found.
  created_at timestamptz NOT NULL,
  payment_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, environment, kind, term, created_at, payment_id)
);
ALTER TABLE payment_search_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payment_search_terms FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON payment_search_terms TO card_payments_tenant;

-- The terms are written with the rows that they come from, so that a search never misses one.
CREATE FUNCTION record_email_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
  VALUES (NEW.merchant_id, NEW.environment, 'email', lower(NEW.customer_email), NEW.created_at, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER payments_email_term AFTER INSERT ON payments FOR EACH ROW
  WHEN (NEW.customer_email IS NOT NULL) EXECUTE FUNCTION record_email_term();

-- An attempt has its method from the beginning, and its card once the vault named it.
CREATE FUNCTION record_attempt_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
  SELECT p.merchant_id, p.environment, t.kind, t.term, p.created_at, p.id
  FROM payments p, (VALUES ('method', NEW.method), ('last4', NEW.card_last4)) AS t (kind, term)
  WHERE p.id = NEW.payment_id AND t.term IS NOT NULL AND (t.kind = 'last4' OR TG_OP = 'INSERT')
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER attempts_new_terms AFTER INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION record_attempt_term();
CREATE TRIGGER attempts_card_term AFTER UPDATE OF card_last4 ON attempts FOR EACH ROW
  WHEN (NEW.card_last4 IS NOT NULL AND NEW.card_last4 IS DISTINCT FROM OLD.card_last4)
  EXECUTE FUNCTION record_attempt_term();
-- Down Migration
DROP TABLE payment_search_terms, payment_checks, captured_cards, capture_access, attempts, payment_versions, payments;
DROP FUNCTION record_attempt_term, record_email_term, record_first_unknown, refuse_changed_reference,
  record_payment_version, refuse_changed_terms, refuse_status_change;
