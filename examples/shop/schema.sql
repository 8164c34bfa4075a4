CREATE TABLE IF NOT EXISTS orders (
  reference text PRIMARY KEY,
  amount_cents bigint NOT NULL,
  payment_id uuid UNIQUE,
  fulfilled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS orders_open ON orders (created_at) WHERE fulfilled_at IS NULL;

-- Shipments. Inserted by the statement that marks the order, so that neither exists without the other.
CREATE TABLE IF NOT EXISTS shipments (
  reference text NOT NULL REFERENCES orders (reference),
  created_at timestamptz NOT NULL DEFAULT now()
);
