-- How long events of a provider that are signed with the former secret are accepted. Beside the sealed credentials,
-- because earlier versions refuse credentials with a field that they do not know.

-- Up Migration

ALTER TABLE connectors ADD COLUMN webhook_overlap_until timestamptz;

-- Down Migration

ALTER TABLE connectors DROP COLUMN webhook_overlap_until;
