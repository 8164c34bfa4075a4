-- Up Migration

-- What became of a pay that a customer sent: taken by a worker in the commit that records its attempt, answered to whoever sent
-- it, or withdrawn, after which no worker can take it any more. Until one of them, it may still lead to a charge.
ALTER TABLE attempt_inputs
  ADD COLUMN taken_at timestamptz,
  ADD COLUMN answered_at timestamptz,
  ADD COLUMN withdrawn_at timestamptz,
  ADD CONSTRAINT taken_or_withdrawn CHECK (taken_at IS NULL OR withdrawn_at IS NULL);

-- Down Migration

ALTER TABLE attempt_inputs DROP COLUMN taken_at, DROP COLUMN answered_at, DROP COLUMN withdrawn_at;
