import { stringify } from 'csv-stringify/sync';

/**
 * Returns rows as lines of CSV (RFC 4180, UTF-8) with a header line if `header`. A cell that a spreadsheet
 * would run as a formula begins with an apostrophe.
 */
export const csvOfRows = (
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  header: boolean,
): string =>
  stringify(
    rows.map((row) =>
      Object.fromEntries(
        columns.map((name) => {
          const value = row[name];
          return [name, value instanceof Date ? value.toISOString() : value];
        }),
      ),
    ),
    { header, columns: [...columns], record_delimiter: 'windows', escape_formulas: true },
  );
