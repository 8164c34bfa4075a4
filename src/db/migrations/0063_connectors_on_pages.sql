-- Up Migration

-- The dashboard shows a merchant what its payments go to, and never with what credentials.
GRANT SELECT (id, merchant_id, environment, kind, account, active, checked_at, changed_at)
  ON connectors TO card_payments_tenant;

-- Down Migration

REVOKE SELECT (id, merchant_id, environment, kind, account, active, checked_at, changed_at)
  ON connectors FROM card_payments_tenant;
