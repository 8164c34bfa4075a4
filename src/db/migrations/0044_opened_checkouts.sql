-- When a browser first opened the hosted page of a payment; NULL: not yet, or before this migration. ADR 0081. Callers
-- read it in the timeline only, so it makes no version of the payment.

-- Up Migration

ALTER TABLE payments ADD COLUMN checkout_opened_at timestamptz;
-- In a new database, 0046 makes the archive afterwards, with this column.
ALTER TABLE IF EXISTS card_payments_archive.payments ADD COLUMN checkout_opened_at timestamptz;

-- Down Migration

ALTER TABLE IF EXISTS card_payments_archive.payments DROP COLUMN checkout_opened_at;
ALTER TABLE payments DROP COLUMN checkout_opened_at;
