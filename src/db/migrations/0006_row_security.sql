-- Up Migration

-- The second net under every `WHERE merchant_id = …` of the API's reads: they run as a role that sees the rows of one
-- merchant in one environment, and none at all before it was told which. Owners are not bound: workers, pages and
-- the operator look payments up by secrets and ids. ADR 0008.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_payments_tenant') THEN
    CREATE ROLE card_payments_tenant NOLOGIN NOINHERIT;
  END IF;
EXCEPTION
  -- Roles belong to the cluster: another database of it may be migrating at this moment.
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role card_payments_tenant is missing and may not be created'
      USING HINT = format('As an administrator: CREATE ROLE card_payments_tenant NOLOGIN NOINHERIT; GRANT card_payments_tenant TO %I;', current_user);
END $$;

DO $$
BEGIN
  IF NOT pg_has_role(current_user, 'card_payments_tenant', 'MEMBER') THEN
    EXECUTE format('GRANT card_payments_tenant TO %I', current_user);
  END IF;
END $$;

CREATE FUNCTION is_own_row(merchant uuid, environment text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN merchant = nullif(current_setting('card_payments.merchant', true), '')::uuid
  AND environment = current_setting('card_payments.environment', true);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'events', 'refunds', 'disputes', 'webhook_endpoints'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment))', name);
    EXECUTE format('GRANT SELECT ON %I TO card_payments_tenant', name);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO card_payments_tenant', current_schema());
END $$;

-- Down Migration

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['payments', 'events', 'refunds', 'disputes', 'webhook_endpoints'] LOOP
    EXECUTE format('REVOKE ALL ON %I FROM card_payments_tenant', name);
    EXECUTE format('DROP POLICY own_rows ON %I', name);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;
DROP FUNCTION is_own_row;
