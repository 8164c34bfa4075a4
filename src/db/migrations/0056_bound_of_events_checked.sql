-- Reads the rows of events, deliveries and tries for the constraints of the migration before, in a transaction of its own:
-- its locks stop neither readers nor writers. ADR 0083.

-- Up Migration

ALTER TABLE events VALIDATE CONSTRAINT events_bound;
ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT webhook_deliveries_bound;
ALTER TABLE webhook_attempts VALIDATE CONSTRAINT webhook_attempts_bound;

-- Down Migration

SELECT;
