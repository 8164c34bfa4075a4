-- Up Migration

-- By which an identity provider's word signs a member in. In lower case.
ALTER TABLE members ADD COLUMN email text CHECK (email = lower(email));
GRANT SELECT (email) ON members TO card_payments_tenant;

-- Links live for a day and are few: this fills the ids of those that are there.
ALTER TABLE sign_in_links
  ADD COLUMN id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  ADD COLUMN email text CHECK (email = lower(email));
GRANT SELECT (id, email) ON sign_in_links TO card_payments_tenant;

-- Down Migration

ALTER TABLE sign_in_links DROP COLUMN id, DROP COLUMN email;
ALTER TABLE members DROP COLUMN email;
