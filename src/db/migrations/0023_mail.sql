-- Up Migration

-- A merchant's mail server for one environment. Without a row nothing is mailed. ADR 0049.
CREATE TABLE mail_settings (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- Shown to the merchant; the whole address with the password is sealed.
  host text NOT NULL CHECK (char_length(host) BETWEEN 1 AND 255),
  port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
  from_address text NOT NULL CHECK (char_length(from_address) BETWEEN 3 AND 320),
  url_sealed bytea NOT NULL,
  set_at timestamptz NOT NULL,
  -- Events up to this position of the merchant's log have their mails.
  event_position bigint NOT NULL,
  -- When the log was last read for mails.
  looked_at timestamptz NOT NULL,
  -- A server that fails is called again later each time, for all its mails at once.
  next_try_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  problem text,
  reply_code integer,
  last_sent_at timestamptz,
  PRIMARY KEY (merchant_id, environment)
);
-- The order in which logs are read.
CREATE INDEX mail_settings_looks ON mail_settings (looked_at);
ALTER TABLE mail_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON mail_settings FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
-- Not the sealed address.
GRANT SELECT (merchant_id, environment, host, port, from_address, set_at, event_position, looked_at, next_try_at, failures,
  failing_since, problem, reply_code, last_sent_at) ON mail_settings TO card_payments_tenant;

-- The outbox: one row for each mail, so that no mail is lost with a process.
CREATE TABLE mails (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  kind text NOT NULL CHECK (kind IN ('receipt', 'invitation', 'signInLink', 'dispute', 'endpoint')),
  -- What the mail is about and whom it is for, so that it is written once.
  cause text NOT NULL,
  -- A receipt is written from its payment, and goes to the payment's address. There are no foreign keys to tables in
  -- use, because making one stops their writers.
  payment_id uuid,
  -- A dispute notice is written from its event. Events are deleted after 90 days.
  event_id text,
  endpoint_id uuid,
  -- A member's address; deleted with the end of the mail.
  recipient text,
  -- The link of an invitation or a sign-in; deleted with the end of the mail.
  content_sealed bytea,
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'sent', 'aside')),
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A process sends the mail until then.
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  problem text,
  reply_code integer,
  CONSTRAINT mails_once UNIQUE (merchant_id, environment, kind, cause),
  CONSTRAINT mails_ended CHECK ((status = 'waiting') = (ended_at IS NULL))
);
-- What a server still has to send.
CREATE INDEX mails_waiting ON mails (merchant_id, environment, due_at) WHERE status = 'waiting';
-- What was put aside, newest first.
CREATE INDEX mails_aside ON mails (merchant_id, environment, ended_at DESC) WHERE status = 'aside';
-- The mails of a payment.
CREATE INDEX mails_payment ON mails (payment_id) WHERE payment_id IS NOT NULL;
-- What the sweep deletes.
CREATE INDEX mails_age ON mails (ended_at) WHERE ended_at IS NOT NULL;
ALTER TABLE mails ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON mails FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT (id, merchant_id, environment, kind, cause, payment_id, event_id, endpoint_id, status, tries, due_at,
  leased_until, created_at, ended_at, problem, reply_code) ON mails TO card_payments_tenant;

-- The members of a merchant who have an address and one of the roles. Workers may not read `members`, which holds
-- password hashes: this is all that they need of it.
CREATE FUNCTION members_to_mail(merchant uuid, with_roles text[]) RETURNS TABLE (member_id uuid, email text)
LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path FROM CURRENT AS $$
  SELECT m.id, m.email FROM members m
  WHERE m.merchant_id = merchant AND m.removed_at IS NULL AND m.email IS NOT NULL AND m.role = ANY (with_roles)
$$;
REVOKE ALL ON FUNCTION members_to_mail FROM PUBLIC;

-- Down Migration

DROP FUNCTION members_to_mail;
DROP TABLE mails;
DROP TABLE mail_settings;
