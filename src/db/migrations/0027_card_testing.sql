-- Card testing: tries with card after card, to find those that work. ADR 0053.

-- Up Migration

-- Declines of card payments within ten minutes after which one key, address, BIN, card or merchant is refused;
-- 0: never.
ALTER TABLE merchant_settings
  ADD COLUMN declines_per_merchant integer NOT NULL DEFAULT 500 CHECK (declines_per_merchant BETWEEN 0 AND 1000000),
  ADD COLUMN declines_per_key integer NOT NULL DEFAULT 120 CHECK (declines_per_key BETWEEN 0 AND 1000000),
  ADD COLUMN declines_per_address integer NOT NULL DEFAULT 60 CHECK (declines_per_address BETWEEN 0 AND 1000000),
  ADD COLUMN declines_per_bin integer NOT NULL DEFAULT 120 CHECK (declines_per_bin BETWEEN 0 AND 1000000),
  ADD COLUMN declines_per_card integer NOT NULL DEFAULT 60 CHECK (declines_per_card BETWEEN 0 AND 1000000);

ALTER TABLE attempts
  -- The line of the key that paid; NULL: a customer on the hosted page, or a build before this one.
  ADD COLUMN key_line_id text,
  -- Keyed hashes of the customer's network and of the card's number, each within its merchant.
  ADD COLUMN address_hash bytea,
  ADD COLUMN card_hash bytea,
  -- A challenge was demanded, because many tries like this one were declined.
  ADD COLUMN force_challenge boolean NOT NULL DEFAULT false,
  -- The dimension that had too many declines when a worker knew the card: nothing was sent.
  ADD COLUMN held_back text CHECK (held_back IN ('bin', 'card'));

-- The newest results of card attempts, one row per dimension. Unlogged: a crash that loses them forgives some tries.
CREATE UNLOGGED TABLE card_results (
  merchant_id uuid NOT NULL,
  environment text NOT NULL,
  dimension text NOT NULL CHECK (dimension IN ('merchant', 'key', 'address', 'bin', 'card')),
  -- The key's line, a hash in hex, a BIN; empty for the merchant as a whole.
  subject text NOT NULL,
  -- An open challenge that was demanded counts as a decline: a program that tests cards never takes it.
  declined boolean NOT NULL,
  at timestamptz NOT NULL,
  payment_id uuid NOT NULL,
  attempt_no integer NOT NULL,
  PRIMARY KEY (payment_id, attempt_no, dimension)
);
CREATE INDEX card_results_window ON card_results (merchant_id, environment, dimension, subject, declined, at);
-- The sweep deletes what no window reaches.
CREATE INDEX card_results_age ON card_results (at);
ALTER TABLE card_results ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON card_results FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON card_results TO card_payments_tenant;

-- What was refused, until the merchant's owner or the operator clears it.
CREATE TABLE card_testing_marks (
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  dimension text NOT NULL CHECK (dimension IN ('merchant', 'key', 'address', 'bin', 'card')),
  subject text NOT NULL CHECK (char_length(subject) <= 200),
  since timestamptz NOT NULL,
  last_refused_at timestamptz NOT NULL,
  refused integer NOT NULL DEFAULT 1,
  cleared_at timestamptz,
  PRIMARY KEY (merchant_id, environment, dimension, subject)
);
ALTER TABLE card_testing_marks ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON card_testing_marks FOR SELECT TO card_payments_tenant
  USING (is_own_row(merchant_id, environment));
GRANT SELECT ON card_testing_marks TO card_payments_tenant;

-- Keeps the result of a card attempt for the windows, in the transaction that stores its answer.
CREATE FUNCTION keep_card_result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_decline boolean := NEW.answer IN ('declined', 'failed') OR (NEW.answer = 'requires_action' AND NEW.force_challenge);
BEGIN
  -- A fault of the network or an issuer says nothing of the caller.
  IF NEW.answer = 'requires_action' AND NOT NEW.force_challenge OR NEW.failure_code = 'processing_error' THEN
    RETURN NULL;
  END IF;
  INSERT INTO card_results AS r (merchant_id, environment, dimension, subject, declined, at, payment_id, attempt_no)
  SELECT p.merchant_id, p.environment, d.dimension, d.subject, is_decline, clock_timestamp(), NEW.payment_id,
    NEW.attempt_no
  FROM payments p, (VALUES ('merchant', ''), ('key', NEW.key_line_id), ('address', encode(NEW.address_hash, 'hex')),
    ('bin', NEW.card_bin), ('card', encode(NEW.card_hash, 'hex'))) AS d (dimension, subject)
  WHERE p.id = NEW.payment_id AND d.subject IS NOT NULL
    -- What was paid raises the thresholds of the merchant and of its keys alone.
    AND (is_decline OR NEW.force_challenge OR d.dimension IN ('merchant', 'key'))
  ON CONFLICT (payment_id, attempt_no, dimension) DO UPDATE SET declined = excluded.declined;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_card_result AFTER UPDATE OF answer ON attempts FOR EACH ROW
  WHEN (NEW.method = 'card' AND NEW.simulated IS NULL AND NEW.answer IS DISTINCT FROM OLD.answer
    AND NEW.answer IN ('captured', 'declined', 'failed', 'requires_action'))
  EXECUTE FUNCTION keep_card_result();

-- Returns 0 for few declines of a subject, 1 for more than half of its threshold, 2 for as many as the threshold within
-- ten minutes or half as many again within an hour. Where more is paid than the threshold, that many declines are
-- usual: the threshold is then the number of paid attempts.
CREATE FUNCTION decline_level(merchant uuid, env text, dim text, subj text, threshold integer) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
  recent integer;
  hourly integer;
  paid_recent integer;
  paid_hourly integer;
BEGIN
  IF threshold = 0 OR subj IS NULL THEN RETURN 0; END IF;
  SELECT count(*) FILTER (WHERE at > clock_timestamp() - interval '10 minutes'), count(*) INTO recent, hourly
  FROM card_results WHERE merchant_id = merchant AND environment = env AND dimension = dim AND subject = subj
    AND declined AND at > clock_timestamp() - interval '1 hour';
  IF recent * 2 <= threshold AND hourly * 2 < threshold * 3 THEN RETURN 0; END IF;
  SELECT count(*) FILTER (WHERE at > clock_timestamp() - interval '10 minutes'), count(*) INTO paid_recent, paid_hourly
  FROM card_results WHERE merchant_id = merchant AND environment = env AND dimension = dim AND subject = subj
    AND NOT declined AND at > clock_timestamp() - interval '1 hour';
  IF recent >= greatest(threshold, paid_recent) OR hourly * 2 >= greatest(threshold, paid_hourly) * 3 THEN RETURN 2; END IF;
  RETURN CASE WHEN recent * 2 > greatest(threshold, paid_recent) THEN 1 ELSE 0 END;
END $$;

-- Returns the first dimension of a card attempt that has too many declines (NULL: none) with its subject, and whether
-- one has more than half of them. The card is not known yet.
CREATE FUNCTION decline_risk(payment uuid, key_line text, address bytea,
  OUT refused text, OUT refused_subject text, OUT challenge boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
  s record;
  d record;
  level integer;
BEGIN
  challenge := false;
  SELECT p.merchant_id AS merchant, p.environment AS env, m.* INTO s FROM payments p
  JOIN merchant_settings m ON m.merchant_id = p.merchant_id AND m.environment = p.environment WHERE p.id = payment;
  IF NOT FOUND THEN RETURN; END IF;
  FOR d IN SELECT * FROM (VALUES ('key', key_line, s.declines_per_key),
    ('address', encode(address, 'hex'), s.declines_per_address), ('merchant', '', s.declines_per_merchant))
    AS v (dimension, subject, threshold)
  LOOP
    level := decline_level(s.merchant, s.env, d.dimension, d.subject, d.threshold);
    challenge := challenge OR level = 1;
    IF level = 2 THEN
      refused := d.dimension;
      refused_subject := d.subject;
      RETURN;
    END IF;
  END LOOP;
END $$;

-- Returns the BINs and cards of a merchant that were declined often within an hour, with their levels; at most 200.
CREATE FUNCTION declined_cards(merchant uuid, env text) RETURNS TABLE (dimension text, subject text, level integer)
LANGUAGE sql STABLE AS $$
  SELECT h.dimension, h.subject, decline_level(merchant, env, h.dimension, h.subject, h.threshold)
  FROM (
    SELECT r.dimension, r.subject, t.threshold FROM card_results r
    JOIN LATERAL (SELECT CASE r.dimension WHEN 'bin' THEN s.declines_per_bin ELSE s.declines_per_card END AS threshold
      FROM merchant_settings s WHERE s.merchant_id = merchant AND s.environment = env) t ON true
    WHERE r.merchant_id = merchant AND r.environment = env AND r.dimension IN ('bin', 'card') AND r.declined
      AND r.at > clock_timestamp() - interval '1 hour' AND t.threshold > 0
    GROUP BY r.dimension, r.subject, t.threshold HAVING count(*) * 2 > t.threshold
    ORDER BY count(*) DESC LIMIT 200
  ) h
$$;

-- Down Migration

DROP FUNCTION declined_cards, decline_risk, decline_level;
DROP TRIGGER keep_card_result ON attempts;
DROP FUNCTION keep_card_result;
DROP TABLE card_testing_marks, card_results;
ALTER TABLE attempts DROP COLUMN key_line_id, DROP COLUMN address_hash, DROP COLUMN card_hash,
  DROP COLUMN force_challenge, DROP COLUMN held_back;
ALTER TABLE merchant_settings DROP COLUMN declines_per_merchant, DROP COLUMN declines_per_key,
  DROP COLUMN declines_per_address, DROP COLUMN declines_per_bin, DROP COLUMN declines_per_card;
