-- Up Migration

-- Whether hosted pages take a connector's cards is read from the settings (CARD_FRAME_URL) and no longer kept here.
-- The column stays while processes of the version before may read it.
ALTER TABLE connectors ALTER COLUMN hosted_cards SET DEFAULT false;

-- Down Migration

ALTER TABLE connectors ALTER COLUMN hosted_cards DROP DEFAULT;
