-- Up Migration

-- The zone in which the dashboard writes times and begins days, by its IANA name.
ALTER TABLE merchant_settings ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC' CHECK (char_length(time_zone) BETWEEN 1 AND 64);

-- What a browser of the dashboard gets back in its next request: a form that waits until its member has confirmed who
-- they are, or the page that answered a form. Sealed, and a member has the newest ones only. ADR 0045.
CREATE TABLE member_kept_pages (
  id uuid PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES members (id),
  kind text NOT NULL CHECK (kind IN ('form', 'answer')),
  content_sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- What a member has too many of.
CREATE INDEX member_kept_pages_member ON member_kept_pages (member_id, kind, created_at);

-- Down Migration

DROP TABLE member_kept_pages;
ALTER TABLE merchant_settings DROP COLUMN time_zone;
