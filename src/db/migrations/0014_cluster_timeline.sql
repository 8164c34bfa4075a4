-- Up Migration

-- The cluster and timeline in which the rows were last seen, in one row: after a promotion or a restore they differ, and
-- the last commits may be lost. ADR 0038.
CREATE TABLE cluster_timeline (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  system_identifier bigint NOT NULL,
  timeline_id integer NOT NULL,
  -- By PostgreSQL's clock.
  seen_at timestamptz NOT NULL
);

-- Down Migration

DROP TABLE cluster_timeline;
