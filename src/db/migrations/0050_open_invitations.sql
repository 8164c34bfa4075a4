-- No transaction
-- The open invitations of a merchant, which are counted at every new one and listed in the dashboard. Used links stay
-- until they expire, so a merchant whose members come and go may have thousands of them.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS sign_in_links_invitations;
CREATE INDEX CONCURRENTLY sign_in_links_invitations ON sign_in_links (merchant_id, created_at DESC)
  WHERE role IS NOT NULL AND used_at IS NULL;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS sign_in_links_invitations;
