import { settingsSchema } from './settings-schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Changes of a letter up to which a name is taken for a setting that was mistyped. */
const mostChanges = 2;
/** Of shorter names, two changes make too many others. */
const shortest = 8;

/**
 * Returns the line of the first variable that has almost the name of a setting, or null. An unknown setting
 * would be ignored without a word.
 */
export function mistypedSetting(environment: Environment): string | null {
  const known = Object.keys(settingsSchema.shape);
  for (const name of Object.keys(environment)) {
    if (name.length < shortest || known.includes(name)) continue;
    const meant = known.find((one) => one.length >= shortest && distance(name, one) <= mostChanges);
    if (meant !== undefined) return `${name} is no setting: ${meant} is meant; rename it`;
  }
  return null;
}

/** Returns how many letters have to be added, removed or replaced to turn one text into the other. */
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
