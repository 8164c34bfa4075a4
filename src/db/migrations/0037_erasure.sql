-- An operator erases a customer: the texts of finished payments, and nothing that was decided or charged. docs/security.md.

-- Up Migration

-- The owner alone may, in a transaction that says so, and no term that counts may change with it.
CREATE OR REPLACE FUNCTION refuse_changed_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('card_payments.erasing', true) = 'on'
    AND current_user NOT IN ('card_payments_api', 'card_payments_worker', 'card_payments_tenant')
    AND NEW.finalized_at IS NOT NULL
    AND (OLD.id, OLD.merchant_id, OLD.environment, OLD.amount_cents, OLD.currency, OLD.reference, OLD.created_at,
         OLD.connector_id, OLD.locale_auto)
      IS NOT DISTINCT FROM
        (NEW.id, NEW.merchant_id, NEW.environment, NEW.amount_cents, NEW.currency, NEW.reference, NEW.created_at,
         NEW.connector_id, NEW.locale_auto)
    AND NEW.metadata::text = '{}' AND NEW.description IS NULL AND NEW.line_items IS NULL THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the terms of a payment may not change' USING ERRCODE = 'check_violation';
END $$;

-- Events whose customer was erased after they were sealed: their hash since then, signed. ADR 0066.
CREATE TABLE erased_events (
  event_id text PRIMARY KEY,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  signature bytea NOT NULL CHECK (octet_length(signature) = 64),
  erased_at timestamptz NOT NULL DEFAULT now()
);
-- What the sweep deletes after the events.
CREATE INDEX erased_events_age ON erased_events (erased_at);

-- Down Migration

DROP TABLE erased_events;
CREATE OR REPLACE FUNCTION refuse_changed_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the terms of a payment may not change' USING ERRCODE = 'check_violation';
END $$;
