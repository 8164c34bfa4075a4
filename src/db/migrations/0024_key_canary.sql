-- A known text, sealed with the encryption keys of the first process that started: other keys cannot open it. ADR 0050.

-- Up Migration

CREATE TABLE key_canary (
  name text PRIMARY KEY CHECK (name = 'canary'),
  text_sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Down Migration

DROP TABLE key_canary;
