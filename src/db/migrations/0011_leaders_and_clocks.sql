-- Up Migration

-- The leader of each role's sweeps, and when it last noted that it leads: others see from it that no process leads. ADR 0035.
CREATE TABLE sweep_leaders (
  role text PRIMARY KEY,
  -- Rises with each change of the leader; 0: no process has led yet.
  term bigint NOT NULL,
  -- Host and process id; empty: no process has led yet.
  leader text NOT NULL,
  -- By PostgreSQL's clock.
  refreshed_at timestamptz NOT NULL
);

-- When the process that raised the alert last found the same; null for alerts that stay until they are cleared.
ALTER TABLE operator_alerts ADD COLUMN confirmed_at timestamptz;

-- Down Migration

ALTER TABLE operator_alerts DROP COLUMN confirmed_at;
DROP TABLE sweep_leaders;
