/** The longest line of a table if the width of the terminal is unknown. */
const usualColumns = 120;

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns an answer as readable lines with API names: one fact per line, lists as tables, or as blocks if a
 * table is wider than `columns`. Control characters are escaped, because a terminal would obey those in a
 * merchant's references.
 */
export function readable(answer: object, columns = usualColumns): string {
  return `${linesOf(answer as Row, columns).join('\n')}\n`;
}

function linesOf(row: Row, columns: number): string[] {
  const entries = Object.entries(row);
  const facts = entries.filter(([, value]) => !isNested(value));
  const parts = entries.filter((entry): entry is [string, object] => isNested(entry[1]));
  const lines = [...aligned(facts), ...parts.flatMap(([name, value]) => partLines(name, value, columns))];
  return lines[0] === '' ? lines.slice(1) : lines;
}

/** Returns whether a value needs lines of its own: an object, or a list of objects. */
const isNested = (value: unknown): value is object =>
  Array.isArray(value) ? value.some(isRow) : isRow(value) && Object.keys(value).length > 0;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function aligned(facts: readonly (readonly [string, unknown])[]): string[] {
  const width = Math.max(0, ...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${inline(value)}`);
}

function partLines(name: string, value: object, columns: number): string[] {
  const indented = (lines: string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));
  if (!Array.isArray(value)) return ['', name, ...indented(linesOf(value as Row, columns - 2))];
  const rows = value.filter(isRow);
  return ['', `${name} (${rows.length})`, ...indented(tableLines(rows, columns - 2))];
}

function tableLines(rows: readonly Row[], columns: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [names, ...rows.map((row) => names.map((name) => inline(row[name])))];
  const widths = names.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  if (widths.reduce((sum, width) => sum + width + 2, -2) > columns) {
    return rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...aligned(Object.entries(row))]);
  }
  return cells.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns a value within a line; `–` for an empty one. */
function inline(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inline).join(', ');
  if (typeof value === 'string') return visible(value);
  if (value instanceof Date) return value.toISOString();
  if (!isRow(value)) return JSON.stringify(value);
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return parts.length === 0 ? '–' : parts.map(([name, part]) => `${visible(name)}=${inline(part)}`).join(' ');
}

/** Control and format characters, which terminals obey or readers cannot see. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the text with these characters escaped. */
const visible = (text: string): string =>
  text.replaceAll(unseen, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
