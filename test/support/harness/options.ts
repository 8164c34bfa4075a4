import { Problem } from '../../../scripts/lib/problem.mjs';

/** Returns the number of a flag. Throws Problem when it is not a whole number from `least` up. */
export function wholeNumber(flag: string, text: string, least = 1): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (value >= least) return value;
  throw new Problem(`--${flag} must be a whole number from ${least} up, not ${text}`);
}
