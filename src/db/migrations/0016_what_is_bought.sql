-- Up Migration

-- What a payment is for, as the customer sees it, and whether its page follows the language of the browser. The build
-- before reads none of it: to that one `locale` stays a language, English where the page follows the browser.
ALTER TABLE payments
  ADD COLUMN description text,
  -- [{name, quantity, amountCents}] as sent, amounts for the whole line; NULL: none. ADR 0040.
  ADD COLUMN line_items json,
  ADD COLUMN locale_auto boolean NOT NULL DEFAULT false;
-- Not validated: every row that exists has NULL, and reading all of them would lock out writers.
ALTER TABLE payments
  ADD CONSTRAINT payments_description CHECK (char_length(description) BETWEEN 1 AND 500) NOT VALID,
  ADD CONSTRAINT payments_line_items CHECK (json_array_length(line_items) BETWEEN 1 AND 100) NOT VALID;
-- They are terms, which never change (see payments_terms).
CREATE TRIGGER payments_shown_terms BEFORE UPDATE OF description, line_items, locale_auto ON payments FOR EACH ROW
  WHEN ((OLD.description, OLD.line_items::text, OLD.locale_auto)
        IS DISTINCT FROM (NEW.description, NEW.line_items::text, NEW.locale_auto))
  EXECUTE FUNCTION refuse_changed_terms();

-- Down Migration

DROP TRIGGER payments_shown_terms ON payments;
ALTER TABLE payments DROP COLUMN description, DROP COLUMN line_items, DROP COLUMN locale_auto;
