-- Up Migration

-- API processes keep keys and settings for a moment; this tells them at once that something changed.
CREATE FUNCTION tell_key_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('key_changes', '');
  RETURN NULL;
END $$;
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON api_keys
  FOR EACH STATEMENT EXECUTE FUNCTION tell_key_changes();
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON merchants
  FOR EACH STATEMENT EXECUTE FUNCTION tell_key_changes();
CREATE TRIGGER key_changes AFTER UPDATE OR DELETE ON merchant_settings
  FOR EACH STATEMENT EXECUTE FUNCTION tell_key_changes();

-- Down Migration

DROP TRIGGER key_changes ON merchant_settings;
DROP TRIGGER key_changes ON merchants;
DROP TRIGGER key_changes ON api_keys;
DROP FUNCTION tell_key_changes();
