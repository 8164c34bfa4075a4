-- Up Migration

-- The dashboard shows a merchant what its payments go to, and never with what credentials.
GRANT SELECT (id, merchant_id, environment, kind, account, active, checked_at, changed_at, hosted_cards)
  ON connectors TO card_payments_tenant;

-- Down Migration

REVOKE SELECT (id, merchant_id, environment, kind, account, active, checked_at, changed_at, hosted_cards)
  ON connectors FROM card_payments_tenant;
