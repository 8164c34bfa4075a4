import { texts } from '../texts/en.ts';

/** Returns the name of a browser by its User-Agent. */
export function browserOf(userAgent: string | null): string {
  const found = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent ?? '')?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' };
  return found === undefined ? texts.team.unknownBrowser : (names[found] ?? found);
}
