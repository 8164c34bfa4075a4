-- Up Migration

-- Until when a process may make the first try of a delivery alone; NULL: no process makes it. The sweep's next check is
-- no earlier, so a process that ends within its lease is followed by the delivery's workflow. ADR 0039.
ALTER TABLE webhook_deliveries ADD COLUMN leased_until timestamptz;

-- Down Migration

ALTER TABLE webhook_deliveries DROP COLUMN leased_until;
