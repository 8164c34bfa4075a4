-- Up Migration

-- What payments from before 0040 are found by. Writers go on meanwhile, and note what they write themselves.
INSERT INTO payment_search_terms (merchant_id, environment, kind, term, created_at, payment_id)
SELECT p.merchant_id, p.environment, t.kind, t.term, p.created_at, p.id
FROM payments p LEFT JOIN attempts a ON a.payment_id = p.id,
  LATERAL (VALUES ('email', lower(p.customer_email)), ('last4', coalesce(a.card_last4, p.card_last4)),
    ('method', coalesce(a.method, p.method))) AS t (kind, term)
WHERE t.term IS NOT NULL
ON CONFLICT DO NOTHING;

-- Down Migration

DELETE FROM payment_search_terms;
