-- Up Migration

-- An attempt is written down before anybody is asked to make it: the row is its intent and the first fence. ADR 0013.
ALTER TABLE attempts
  ADD COLUMN token_sealed bytea,
  ADD COLUMN token_hash bytea,
  ADD COLUMN capture_reference text,
  -- Ordered by the sandbox in the customer's place; NULL for a real attempt.
  ADD COLUMN simulated jsonb,
  -- Claimed by a worker that is about to send it: whoever comes after may only ask the network.
  ADD COLUMN sent_at timestamptz,
  -- Nobody waits for its answer any more: the network is asked until it tells.
  ADD COLUMN unknown_since timestamptz,
  -- Until then one caller confirms or gives up the open step; others are refused without asking the workflow.
  ADD COLUMN acted_on_until timestamptz,
  -- The request or sandbox order that asked for it: a repeated order is the same attempt.
  ADD COLUMN request_id uuid,
  -- The provider's own last answer, written by the process that heard it; a transition must agree with it.
  ADD COLUMN answer text CHECK (answer IN
    ('not_sent', 'token_rejected', 'captured', 'declined', 'failed', 'requires_action', 'voided'));
ALTER TABLE attempts DROP CONSTRAINT attempts_status_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_status_check
  CHECK (status IN ('processing', 'requiresAction', 'paid', 'declined', 'failed', 'voided', 'released'));
-- What the sweep looks at: attempts that have been under way for long.
CREATE INDEX attempts_under_way ON attempts (started_at) WHERE status = 'processing';
CREATE UNIQUE INDEX attempts_request ON attempts (payment_id, request_id);
DROP TABLE attempt_inputs;

-- Capture access has states of its own: reserved here, registered at the vault, ending (the vault is still to be
-- told), ended. The hosted page takes cards until its deadline; only custom mode has a window before that.
ALTER TABLE capture_access
  ADD COLUMN status text NOT NULL DEFAULT 'reserved' CHECK (status IN ('reserved', 'registered', 'ending', 'ended')),
  ADD COLUMN ends_at timestamptz NOT NULL;
ALTER TABLE capture_access DROP COLUMN registered_at, DROP COLUMN ended_at, DROP COLUMN capture_url;
CREATE INDEX capture_access_open ON capture_access (ends_at) WHERE status <> 'ended';
ALTER TABLE payments ADD CONSTRAINT payments_hosted_capture
  CHECK (checkout_mode = 'custom' OR capture_expires_at = expires_at);

-- What merchants read of a checkout goes through row security like their payments (migration 0006, ADR 0008).
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['attempts', 'capture_access'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY own_rows ON %I FOR SELECT TO card_payments_tenant
         USING (EXISTS (SELECT FROM payments p WHERE p.id = payment_id))', name);
    EXECUTE format('GRANT SELECT ON %I TO card_payments_tenant', name);
  END LOOP;
END $$;

-- Down Migration

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['attempts', 'capture_access'] LOOP
    EXECUTE format('REVOKE ALL ON %I FROM card_payments_tenant', name);
    EXECUTE format('DROP POLICY own_rows ON %I', name);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;

ALTER TABLE payments DROP CONSTRAINT payments_hosted_capture;
DROP INDEX capture_access_open;
ALTER TABLE capture_access ADD COLUMN registered_at timestamptz, ADD COLUMN ended_at timestamptz,
  ADD COLUMN capture_url text, DROP COLUMN status, DROP COLUMN ends_at;
CREATE TABLE attempt_inputs (
  id uuid PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES payments (id),
  method text NOT NULL CHECK (method IN ('card', 'wallet', 'pix')),
  token_sealed bytea,
  capture_reference text,
  simulated jsonb,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX attempt_inputs_payment ON attempt_inputs (payment_id);
DROP INDEX attempts_under_way;
ALTER TABLE attempts DROP CONSTRAINT attempts_status_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_status_check
  CHECK (status IN ('processing', 'requiresAction', 'paid', 'declined', 'failed', 'voided'));
ALTER TABLE attempts DROP COLUMN token_sealed, DROP COLUMN token_hash, DROP COLUMN capture_reference,
  DROP COLUMN simulated, DROP COLUMN sent_at, DROP COLUMN unknown_since, DROP COLUMN acted_on_until,
  DROP COLUMN request_id, DROP COLUMN answer;
