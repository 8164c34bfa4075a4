-- Fulfills once: of any number of concurrent callers, one finds `fulfilled_at IS NULL`.
-- $1 reference, $2 payment id, $3 amount in cents, all of a payment that was read with status `paid`.
WITH fulfilled AS (
  UPDATE orders SET fulfilled_at = now()
  WHERE reference = $1 AND payment_id = $2 AND amount_cents = $3 AND fulfilled_at IS NULL
  RETURNING reference
)
INSERT INTO shipments (reference) SELECT reference FROM fulfilled RETURNING reference;
