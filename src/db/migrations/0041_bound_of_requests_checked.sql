-- No transaction: the rows are read beside those who write them.

-- Up Migration

ALTER TABLE api_requests VALIDATE CONSTRAINT api_requests_bound;

-- Down Migration

SELECT;
