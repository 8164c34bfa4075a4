/**
 * Returns the entry of a table with a name that comes from outside; undefined if it has none. Names that
 * every object inherits, such as `constructor`, are not entries.
 */
export const entryNamed = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
