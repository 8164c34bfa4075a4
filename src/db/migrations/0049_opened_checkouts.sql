-- When a browser first opened the hosted page of a payment; NULL: not yet, or before this migration. ADR 0081. Callers
-- read it in the timeline only, so it makes no version of the payment.

-- Up Migration

ALTER TABLE payments ADD COLUMN checkout_opened_at timestamptz;
ALTER TABLE card_payments_archive.payments ADD COLUMN checkout_opened_at timestamptz;

-- Down Migration

ALTER TABLE card_payments_archive.payments DROP COLUMN checkout_opened_at;
ALTER TABLE payments DROP COLUMN checkout_opened_at;
