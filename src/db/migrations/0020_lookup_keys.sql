-- Up Migration

-- The look-up key (LOOKUP_KEYS) that a key's hash was made with; null for a hash from before there was a choice.
ALTER TABLE api_keys ADD COLUMN lookup_key_id text;

-- Where `admin keys rewrap` stands, so that it goes on where it was stopped.
CREATE TABLE key_rewraps (
  -- The keys in use when it began: with others it begins anew.
  target text NOT NULL,
  subject text NOT NULL,
  -- The row looked at last; null for none yet.
  after jsonb,
  seen bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  finished_at timestamptz,
  PRIMARY KEY (target, subject)
);

-- What is answered again may hold links and customers' data.
ALTER TABLE idempotency_responses ALTER COLUMN response DROP NOT NULL;
ALTER TABLE idempotency_responses ADD COLUMN response_sealed bytea;
ALTER TABLE idempotency_responses
  ADD CONSTRAINT idempotency_responses_once CHECK ((response IS NULL) <> (response_sealed IS NULL)) NOT VALID;

-- Down Migration

DELETE FROM idempotency_responses WHERE response IS NULL;
ALTER TABLE idempotency_responses DROP COLUMN response_sealed, ALTER COLUMN response SET NOT NULL;
DROP TABLE key_rewraps;
ALTER TABLE api_keys DROP COLUMN lookup_key_id;
