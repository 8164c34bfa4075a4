-- Reads the rows of the request log for the constraint of the migration before, in a transaction of its own: its lock
-- stops neither readers nor writers. ADR 0071.

-- Up Migration

ALTER TABLE api_requests VALIDATE CONSTRAINT api_requests_bound;

-- Down Migration

SELECT;
