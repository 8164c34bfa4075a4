-- Up Migration

-- An attempt that waits for its customer is checked a minute later, and then at growing distances (src/sweeps): the
-- provider's callback may have been lost, or the workflow's run. A trigger, so that the processes of the version before
-- schedule it too. ADR 0036.
CREATE FUNCTION schedule_step_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_checks (payment_id, next_check_at) VALUES (NEW.payment_id, clock_timestamp() + interval '1 minute')
  ON CONFLICT (payment_id) DO UPDATE
    SET next_check_at = least(payment_checks.next_check_at, excluded.next_check_at);
  RETURN NULL;
END $$;
CREATE TRIGGER attempts_step_check AFTER UPDATE OF status ON attempts FOR EACH ROW
  WHEN (NEW.status = 'requiresAction' AND OLD.status <> 'requiresAction')
  EXECUTE FUNCTION schedule_step_check();

-- Down Migration
DROP TRIGGER attempts_step_check ON attempts;
DROP FUNCTION schedule_step_check;
