-- Up Migration

-- 0082 has it with the place in the log in the id's stead.
DROP INDEX IF EXISTS events_list;

-- Down Migration

CREATE INDEX events_list ON events (merchant_id, environment, created_at DESC, id DESC);
