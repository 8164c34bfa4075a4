-- Up Migration

-- The fence of the sweeps: raises unless the role's term is still this one. The lock is held until the transaction ends, so
-- that the next leader's term begins after it. It is refused, and not waited for, while a process waits to begin a term. A
-- lock and not the row, because locking a row writes to it. ADR 0080.
CREATE FUNCTION require_sweep_term(of_role text, of_term bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF pg_try_advisory_xact_lock_shared(hashtextextended('term of sweeps of ' || of_role, 0)) THEN
    PERFORM FROM sweep_leaders WHERE role = of_role AND term = of_term;
    IF FOUND THEN RETURN; END IF;
  END IF;
  RAISE EXCEPTION 'another process leads the sweeps of %', of_role USING ERRCODE = 'CP001';
END
$$;

-- Down Migration

DROP FUNCTION require_sweep_term(text, bigint);
