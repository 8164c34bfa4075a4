import { settingsSchema } from './settings-schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The maximum number of changed letters with which a name still counts as a mistyped setting. */
const maxChanges = 2;
/** The shortest names that are compared: with two changes, shorter ones would match too many others. */
const minNameLength = 8;

/**
 * Returns a line about the first variable whose name is almost that of a setting, or null. An unknown setting
 * would be ignored without a warning.
 */
export function mistypedSetting(environment: Environment): string | null {
  const known = Object.keys(settingsSchema.shape);
  for (const name of Object.keys(environment)) {
    if (name.length < minNameLength || known.includes(name)) continue;
    const meant = known.find((one) => one.length >= minNameLength && distance(name, one) <= maxChanges);
    if (meant !== undefined) return `${name} is not a setting: did you mean ${meant}? Rename it`;
  }
  return null;
}

/** Returns the number of letters to add, remove or replace to turn one text into the other. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (const [at, theirs] of other.split('').entries()) {
      const replaced = (row[at] ?? 0) + (letter === theirs ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
