-- No transaction
-- What refers to a payment is found by it when the payment is archived. ADR 0078.

-- Up Migration

DROP INDEX CONCURRENTLY IF EXISTS restored_creations_payment;
CREATE INDEX CONCURRENTLY restored_creations_payment ON restored_creations (payment_id);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_webhook_faults_payment;
CREATE INDEX CONCURRENTLY sandbox_webhook_faults_payment ON sandbox_webhook_faults (payment_id)
  WHERE payment_id IS NOT NULL;

-- Down Migration

DROP INDEX CONCURRENTLY IF EXISTS sandbox_webhook_faults_payment;
DROP INDEX CONCURRENTLY IF EXISTS restored_creations_payment;
