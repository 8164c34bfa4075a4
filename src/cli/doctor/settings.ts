import { mistypedSetting } from '../../runtime/mistyped-settings.ts';
import { type Check, checkOf } from './check.ts';

/**
 * Returns a check that no variable's name is almost that of a setting; processes refuse to start with one.
 */
export const checkNames = (environment: Readonly<Record<string, string | undefined>>): Check =>
  checkOf('setting names', mistypedSetting(environment));
