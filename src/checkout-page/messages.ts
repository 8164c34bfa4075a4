import type { Locale } from '../domain/statuses.ts';
import { en, type Messages } from './messages/en.ts';
import { es } from './messages/es.ts';
import { pt } from './messages/pt.ts';

export type { Messages };

/** Texts of the customer's pages. The type requires every language to be complete. */
export const messages: Readonly<Record<Locale, Messages>> = { en, es, pt };

/** The name of each language, in that language. */
export const languageNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  es: 'Español',
  pt: 'Português',
};

/** Fills in the `{name}` placeholders of a text. A placeholder without a value stays unchanged. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
