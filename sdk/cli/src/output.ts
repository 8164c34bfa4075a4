/** The printer of results: text for people at a terminal, JSON otherwise. */
export interface Output {
  json: boolean;
  /** Prints a result: one JSON document, or the text. */
  result(value: unknown, text: () => string): void;
  /** Prints one of many: a line of JSON, or the text. */
  line(value: unknown, text: () => string): void;
}

/** Returns the output of a command: JSON with `--json`, and whenever stdout is not a terminal. */
export function createOutput(flags: { json?: boolean | undefined }): Output {
  const json = flags.json === true || !process.stdout.isTTY;
  const print = (value: unknown, text: () => string, indent?: number): void => {
    process.stdout.write(`${json ? JSON.stringify(value, null, indent) : text()}\n`);
  };
  return {
    json,
    result: (value, text) => print(value, text, 2),
    line: (value, text) => print(value, text),
  };
}

/** A value in a table. */
export type Cell = string | number | boolean | null | undefined;

/** Returns a text without control characters, which could steer the terminal: outsiders wrote the text. */
export const printable = (text: Cell): string => String(text ?? '').replaceAll(/\p{C}/gu, '·');

/** Returns rows as a table below their titles. */
export function table(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [titles, ...rows.map((row) => row.map(printable))];
  const widths = titles.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns names with their values, one a line; values that are absent are left out. */
export function fieldList(fields: Readonly<Record<string, Cell>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join('\n');
}

/** Returns an amount such as `25.00 USD`. */
export const money = (cents: number, currency: string): string => `${(cents / 100).toFixed(2)} ${currency}`;
