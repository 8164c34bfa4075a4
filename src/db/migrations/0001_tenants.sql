-- Up Migration

-- Row-level security for what merchants read: the reads of the API and of the dashboard run as a role that sees the
-- rows of one merchant in one environment, and no row before both are set. It backs up the `WHERE merchant_id = …` of
-- every statement: a statement that lacks it returns nothing. The owner of the tables is not bound by it, because workers,
-- pages and operators find payments by secrets and ids. ADR 0008.

-- Roles belong to the cluster: another database of it may be migrated at the same moment.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'card_payments_tenant') THEN
    CREATE ROLE card_payments_tenant NOLOGIN NOINHERIT;
  END IF;
EXCEPTION
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
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO card_payments_tenant', current_schema());
END $$;

-- Whether a row belongs to the merchant and environment of this transaction (src/db/server/tenant-reads.ts).
CREATE FUNCTION is_own_row(merchant uuid, environment text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN merchant = nullif(current_setting('card_payments.merchant', true), '')::uuid
  AND environment = current_setting('card_payments.environment', true);

-- The same for rows that a merchant has once for both environments, such as members.
CREATE FUNCTION is_own_merchant(merchant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN merchant = nullif(current_setting('card_payments.merchant', true), '')::uuid;
-- Down Migration
DROP FUNCTION is_own_merchant, is_own_row;
