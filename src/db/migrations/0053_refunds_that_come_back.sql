-- Up Migration

-- Backs up src/domain/statuses.ts. Money whose refund was rejected late may have been disputed, or lost, while it
-- counted as refunded.
CREATE OR REPLACE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = OLD.status THEN RETURN NEW; END IF;
  IF (OLD.status || '>' || NEW.status) NOT IN (
    'pending>requiresAction', 'pending>paid', 'pending>failed',
    'requiresAction>pending', 'requiresAction>paid', 'requiresAction>failed',
    'paid>partiallyRefunded', 'paid>refunded', 'paid>disputed',
    'partiallyRefunded>refunded', 'partiallyRefunded>disputed', 'partiallyRefunded>paid',
    'refunded>partiallyRefunded', 'refunded>paid', 'refunded>disputed', 'refunded>disputeLost',
    'disputed>disputeWon', 'disputed>disputeLost', 'disputed>paid', 'disputed>partiallyRefunded', 'disputed>refunded',
    'disputeWon>partiallyRefunded', 'disputeWon>refunded', 'disputeWon>disputed',
    'disputeLost>disputed', 'disputeLost>disputeWon', 'disputeLost>paid', 'disputeLost>partiallyRefunded',
    'disputeLost>refunded'
  ) THEN
    RAISE EXCEPTION 'payment status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

-- Down Migration

CREATE OR REPLACE FUNCTION refuse_status_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = OLD.status THEN RETURN NEW; END IF;
  IF (OLD.status || '>' || NEW.status) NOT IN (
    'pending>requiresAction', 'pending>paid', 'pending>failed',
    'requiresAction>pending', 'requiresAction>paid', 'requiresAction>failed',
    'paid>partiallyRefunded', 'paid>refunded', 'paid>disputed',
    'partiallyRefunded>refunded', 'partiallyRefunded>disputed', 'partiallyRefunded>paid',
    'refunded>partiallyRefunded', 'refunded>paid',
    'disputed>disputeWon', 'disputed>disputeLost', 'disputed>paid', 'disputed>partiallyRefunded', 'disputed>refunded',
    'disputeWon>partiallyRefunded', 'disputeWon>refunded', 'disputeWon>disputed',
    'disputeLost>disputed', 'disputeLost>disputeWon', 'disputeLost>paid', 'disputeLost>partiallyRefunded',
    'disputeLost>refunded'
  ) THEN
    RAISE EXCEPTION 'payment status may not go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
