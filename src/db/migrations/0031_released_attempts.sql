-- A released attempt whose key the provider does not know is not asked for again. ADR 0038.

-- Up Migration

-- When the provider said that it does not know a released attempt; NULL: it was not asked.
ALTER TABLE attempts ADD COLUMN unsent_confirmed_at timestamptz;

-- Down Migration

ALTER TABLE attempts DROP COLUMN unsent_confirmed_at;
