-- Whom the identity provider means by a member, and merchants whose members must sign in there. ADR 0075.

-- Up Migration

ALTER TABLE members
  ADD COLUMN identity_issuer text,
  ADD COLUMN identity_subject text,
  ADD CONSTRAINT members_identity_whole CHECK ((identity_issuer IS NULL) = (identity_subject IS NULL));

ALTER TABLE merchants ADD COLUMN requires_identity_provider boolean NOT NULL DEFAULT false;

-- Down Migration

ALTER TABLE merchants DROP COLUMN requires_identity_provider;
ALTER TABLE members DROP COLUMN identity_subject, DROP COLUMN identity_issuer;
