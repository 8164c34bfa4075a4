-- Up Migration

-- Whether a row hangs on one of the tenant's payments is asked of that payment. Of an EXISTS the planner may make a
-- list of all the tenant's payments instead, and does while it believes, as of a day when they were few, that they
-- are few: reading one payment then cost what all of them are. A scalar subquery leaves it no choice.
-- Writers wait for one lock at most: no other is waited for meanwhile.
LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE;
LOCK TABLE capture_access, payment_versions, operator_alerts IN ACCESS EXCLUSIVE MODE NOWAIT;

ALTER POLICY own_rows ON attempts USING ((SELECT true FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_rows ON capture_access USING ((SELECT true FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_rows ON payment_versions USING ((SELECT true FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_payments ON operator_alerts USING ((SELECT true FROM payments p WHERE p.id =
  CASE WHEN subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject::uuid END));

-- Down Migration

LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE;
LOCK TABLE capture_access, payment_versions, operator_alerts IN ACCESS EXCLUSIVE MODE NOWAIT;

ALTER POLICY own_rows ON attempts USING (EXISTS (SELECT FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_rows ON capture_access USING (EXISTS (SELECT FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_rows ON payment_versions USING (EXISTS (SELECT FROM payments p WHERE p.id = payment_id));
ALTER POLICY own_payments ON operator_alerts USING (EXISTS (SELECT FROM payments p WHERE p.id =
  CASE WHEN subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject::uuid END));
