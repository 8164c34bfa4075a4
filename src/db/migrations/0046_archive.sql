-- Payments that ended long ago move to tables of their own, with all that is theirs. ADR 0078.

-- Up Migration

CREATE SCHEMA card_payments_archive;
GRANT USAGE ON SCHEMA card_payments_archive TO card_payments_tenant;

-- Tables of the same names and columns: a read finds an archived payment by the same statement, with this schema before
-- the other one in its search path. There are no foreign keys and no triggers: rows move as they are, and never change.
-- A migration that adds a column to one table adds it to both. A test compares them.
CREATE TABLE card_payments_archive.payments (LIKE payments, PRIMARY KEY (id));
CREATE TABLE card_payments_archive.payment_versions (LIKE payment_versions, PRIMARY KEY (payment_id, version));
CREATE TABLE card_payments_archive.attempts (LIKE attempts, PRIMARY KEY (payment_id, attempt_no));
CREATE TABLE card_payments_archive.capture_access (LIKE capture_access, PRIMARY KEY (payment_id));
CREATE TABLE card_payments_archive.refunds (LIKE refunds, PRIMARY KEY (id));
CREATE TABLE card_payments_archive.refund_approvals (LIKE refund_approvals, PRIMARY KEY (id));
CREATE TABLE card_payments_archive.disputes (LIKE disputes, PRIMARY KEY (id));
CREATE TABLE card_payments_archive.dispute_files (LIKE dispute_files, PRIMARY KEY (id));

-- Of a merchant by creation: for reports, reconciliations and exports.
CREATE INDEX payments_list ON card_payments_archive.payments (merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX refunds_list ON card_payments_archive.refunds (merchant_id, environment, created_at DESC, id DESC);
-- Failed payments of a report.
CREATE INDEX payments_failed ON card_payments_archive.payments (merchant_id, environment, finalized_at)
  WHERE status = 'failed';
-- The payments of a customer who is to be erased.
CREATE INDEX payments_by_email ON card_payments_archive.payments (merchant_id, lower(customer_email))
  WHERE customer_email IS NOT NULL;
-- What a provider names.
CREATE UNIQUE INDEX attempts_provider_reference ON card_payments_archive.attempts (provider_reference)
  WHERE provider_reference IS NOT NULL;
CREATE UNIQUE INDEX disputes_provider_reference ON card_payments_archive.disputes (provider_reference);
-- What a payment has.
CREATE INDEX refunds_payment ON card_payments_archive.refunds (payment_id);
CREATE INDEX refund_approvals_payment ON card_payments_archive.refund_approvals (payment_id);
CREATE INDEX disputes_payment ON card_payments_archive.disputes (payment_id);
CREATE INDEX dispute_files_dispute ON card_payments_archive.dispute_files (dispute_id);

-- The policies are those of the tables in use.
DO $$
DECLARE
  name text;
  condition text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'payment_versions', 'attempts', 'capture_access', 'refunds',
    'refund_approvals', 'disputes', 'dispute_files']
  LOOP
    condition := CASE WHEN name IN ('payment_versions', 'attempts', 'capture_access')
      THEN '(SELECT true FROM card_payments_archive.payments p WHERE p.id = payment_id)'
      ELSE 'is_own_row(merchant_id, environment)' END;
    EXECUTE format('ALTER TABLE card_payments_archive.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_rows ON card_payments_archive.%I FOR SELECT TO card_payments_tenant USING (%s)',
      name, condition);
    EXECUTE format('GRANT SELECT ON card_payments_archive.%I TO card_payments_tenant', name);
  END LOOP;
END $$;

-- Moves rows from a schema to the other one, column by column by name: a column that only one of the tables has stops
-- the move, and nothing is lost.
CREATE FUNCTION move_archive_rows(from_schema text, to_schema text, name text, key text, ids uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  columns text := (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = format('%I.%I', from_schema, name)::regclass AND a.attnum > 0 AND NOT a.attisdropped);
BEGIN
  EXECUTE format('WITH moved AS (DELETE FROM %1$I.%3$I WHERE %4$I = ANY ($1) RETURNING %5$s)
    INSERT INTO %2$I.%3$I (%5$s) SELECT %5$s FROM moved', from_schema, to_schema, name, key, columns) USING ids;
END $$;

-- Archives those of the next payments, in the order of their ids, that ended and last changed before `months` months
-- ago, and of which nothing can follow. Reads `batch` payments with ids after `after_id` and below `below_id`. Ids begin
-- with the time of creation: the primary key finds the oldest ones, and no index is needed for the search. `next_id`:
-- where to continue; NULL: at the end. As the owner, because no process may delete a payment. Whole payments only, in one
-- transaction. Rows that are locked are left for the next search.
CREATE FUNCTION archive_payments(after_id uuid, below_id uuid, months integer, batch integer, OUT moved integer,
  OUT next_id uuid) LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  before timestamptz := now() - make_interval(months => months);
  looked uuid[];
  locked uuid[];
  due uuid[];
BEGIN
  IF months < 4 THEN
    RAISE EXCEPTION 'payments may not be archived before four months' USING ERRCODE = 'insufficient_privilege';
  END IF;
  moved := 0;
  -- Rows that went back in time are completed first.
  IF EXISTS (SELECT FROM restore_watch w WHERE w.held_since IS NOT NULL) THEN RETURN; END IF;
  looked := ARRAY(SELECT p.id FROM payments p WHERE p.id > after_id AND p.id < below_id ORDER BY p.id LIMIT batch);
  IF cardinality(looked) = batch THEN next_id := looked[batch]; END IF;
  locked := ARRAY(SELECT p.id FROM payments p WHERE p.id = ANY (looked) AND p.finalized_at < before
    AND coalesce(p.changed_at, p.created_at) < before ORDER BY p.id FOR UPDATE SKIP LOCKED);
  -- In a statement of its own, which sees what was committed before the rows were locked.
  due := ARRAY(
    SELECT p.id FROM payments p WHERE p.id = ANY (locked)
      AND NOT EXISTS (SELECT FROM attempts a WHERE a.payment_id = p.id AND (a.status IN ('processing', 'requiresAction')
        OR a.token_sealed IS NOT NULL OR a.action_sealed IS NOT NULL))
      AND NOT EXISTS (SELECT FROM refunds r WHERE r.payment_id = p.id AND (r.status = 'pending'
        OR r.status = 'succeeded' AND r.next_check_at IS NOT NULL
        OR greatest(r.created_at, r.succeeded_at, r.failed_at) >= before))
      AND NOT EXISTS (SELECT FROM disputes d WHERE d.payment_id = p.id
        AND (d.closed_at IS NULL OR d.closed_at >= before OR d.next_check_at IS NOT NULL))
      AND NOT EXISTS (SELECT FROM refund_approvals r WHERE r.payment_id = p.id AND r.expires_at >= before)
      AND NOT EXISTS (SELECT FROM capture_access c WHERE c.payment_id = p.id
        AND (c.status <> 'ended' OR c.secret_sealed IS NOT NULL))
      AND NOT EXISTS (SELECT FROM captured_cards c WHERE c.payment_id = p.id)
      AND NOT EXISTS (SELECT FROM payment_checks c WHERE c.payment_id = p.id)
      -- Reports of the provider that are still to be read.
      AND NOT EXISTS (SELECT FROM capture_hints h WHERE h.payment_id = p.id)
      AND NOT EXISTS (SELECT FROM provider_refund_hints h WHERE h.payment_id = p.id)
      AND NOT EXISTS (SELECT FROM dispute_hints h WHERE h.payment_id = p.id)
      -- Money that is in no attempt, and what waits for an operator, stay in view.
      AND NOT EXISTS (SELECT FROM unexpected_captures u WHERE u.payment_id = p.id)
      AND NOT EXISTS (SELECT FROM operator_alerts o WHERE o.subject = p.id::text AND o.cleared_at IS NULL)
      -- Events are deleted after their retention, with their deliveries.
      AND NOT EXISTS (SELECT FROM events e WHERE e.payment_id = p.id)
      AND NOT EXISTS (SELECT FROM mails m WHERE m.payment_id = p.id AND m.status = 'waiting')
      AND NOT EXISTS (SELECT FROM restored_creations r WHERE r.payment_id = p.id AND r.expires_at >= now()));
  moved := cardinality(due);
  IF moved = 0 THEN RETURN; END IF;
  -- Written again from the rows when a payment is moved back.
  DELETE FROM payment_search_terms t USING (
    SELECT p.id, p.merchant_id, p.environment, p.created_at, k.kind, k.term FROM payments p, LATERAL (
      SELECT 'email', lower(p.customer_email)
      UNION SELECT 'method', a.method FROM attempts a WHERE a.payment_id = p.id
      UNION SELECT 'last4', a.card_last4 FROM attempts a WHERE a.payment_id = p.id) AS k (kind, term)
    WHERE p.id = ANY (due)) AS o
  WHERE t.merchant_id = o.merchant_id AND t.environment = o.environment AND t.kind = o.kind AND t.term = o.term
    AND t.created_at = o.created_at AND t.payment_id = o.id;
  DELETE FROM restored_creations r WHERE r.payment_id = ANY (due);
  DELETE FROM sandbox_webhook_faults f WHERE f.payment_id = ANY (due);
  PERFORM move_archive_rows(current_schema(), 'card_payments_archive', 'dispute_files', 'dispute_id',
    ARRAY(SELECT d.id FROM disputes d WHERE d.payment_id = ANY (due)));
  PERFORM move_archive_rows(current_schema(), 'card_payments_archive', o.name, 'payment_id', due)
  FROM unnest(ARRAY['disputes', 'refunds', 'refund_approvals', 'attempts', 'payment_versions', 'capture_access']) AS o (name);
  PERFORM move_archive_rows(current_schema(), 'card_payments_archive', 'payments', 'id', due);
END $$;

-- Moves archived payments back, with all that is theirs, before something is written about them. Returns their number. The
-- triggers of the tables write their search terms and the changes of the lists; their movements are there already.
CREATE FUNCTION unarchive_payments(ids uuid[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $$
DECLARE
  -- Of two callers the second one waits here, and then finds nothing to move.
  found_ids uuid[] := ARRAY(SELECT p.id FROM card_payments_archive.payments p WHERE p.id = ANY (ids) ORDER BY p.id
    FOR UPDATE);
  dispute_ids uuid[];
BEGIN
  IF cardinality(found_ids) = 0 THEN RETURN 0; END IF;
  dispute_ids := ARRAY(SELECT d.id FROM card_payments_archive.disputes d WHERE d.payment_id = ANY (found_ids));
  PERFORM move_archive_rows('card_payments_archive', current_schema(), 'payments', 'id', found_ids);
  PERFORM move_archive_rows('card_payments_archive', current_schema(), o.name, 'payment_id', found_ids)
  FROM unnest(ARRAY['capture_access', 'payment_versions', 'attempts', 'refund_approvals', 'refunds', 'disputes']) AS o (name);
  PERFORM move_archive_rows('card_payments_archive', current_schema(), 'dispute_files', 'dispute_id', dispute_ids);
  RETURN cardinality(found_ids);
END $$;
REVOKE ALL ON FUNCTION move_archive_rows, archive_payments, unarchive_payments FROM PUBLIC;

-- Down Migration

SELECT unarchive_payments(ARRAY(SELECT id FROM card_payments_archive.payments));
DROP FUNCTION unarchive_payments, archive_payments, move_archive_rows;
DROP SCHEMA card_payments_archive CASCADE;
