-- Up Migration

-- Payments whose cards a vault keeps until it is told to forget them; a row goes with them.
CREATE TABLE captured_cards (
  payment_id uuid PRIMARY KEY,
  next_look_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0
);
CREATE INDEX captured_cards_due ON captured_cards (next_look_at);

-- Down Migration

DROP TABLE captured_cards;
