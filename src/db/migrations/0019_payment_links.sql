-- Up Migration

-- What a merchant offers under one address: each customer who opens it gets a payment of their own. ADR 0043.
CREATE TABLE payment_links (
  id uuid PRIMARY KEY,
  merchant_id uuid NOT NULL REFERENCES merchants (id),
  environment text NOT NULL CHECK (environment IN ('sandbox', 'live')),
  -- The end of the link's address. It is handed out by the merchant, so it is no secret, but cannot be guessed.
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[0-9A-Za-z]{22}$'),
  amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 500 AND 100000000),
  reference text NOT NULL CHECK (char_length(reference) BETWEEN 1 AND 255),
  description text CHECK (char_length(description) BETWEEN 1 AND 500),
  line_items json CHECK (json_array_length(line_items) BETWEEN 1 AND 100),
  -- NULL: all that the merchant offers when the link is opened.
  methods text[] CHECK (methods <@ ARRAY['card', 'wallet', 'pix'] AND cardinality(methods) >= 1),
  success_url text NOT NULL,
  cancel_url text NOT NULL,
  -- NULL: as many as customers make.
  max_payments integer CHECK (max_payments BETWEEN 1 AND 10000),
  expires_at timestamptz,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- The list of a merchant, newest first.
CREATE INDEX payment_links_list ON payment_links (merchant_id, environment, created_at DESC, id DESC);
ALTER TABLE payment_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON payment_links FOR SELECT TO card_payments_tenant USING (is_own_row(merchant_id, environment));
GRANT SELECT ON payment_links TO card_payments_tenant;

-- The payments that were begun with a link. The row is written before its payment, so that as many customers at once
-- begin no more payments than the link allows; there is no foreign key to the payment for the same reason.
CREATE TABLE payment_link_uses (
  payment_id uuid PRIMARY KEY,
  link_id uuid NOT NULL REFERENCES payment_links (id),
  created_at timestamptz NOT NULL
);
CREATE INDEX payment_link_uses_by_link ON payment_link_uses (link_id);

-- Down Migration

DROP TABLE payment_link_uses;
DROP TABLE payment_links;
