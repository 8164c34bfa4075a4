import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { clockTime, dayAndTime, languageTags, money, withTime } from '../../../src/checkout-page/format.ts';
import { type Messages, messages } from '../../../src/checkout-page/messages.ts';
import { type Locale, locales } from '../../../src/domain/statuses.ts';

const at = (hour: number, minute = 0): number => Date.UTC(2030, 2, 14, hour, minute);
/** Returns a text without the special spaces of Intl. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');
const sentence = (locale: Locale, name: keyof Messages, instantMs: number): string => {
  const { before, time, after } = withTime(locale, messages[locale][name], instantMs);
  return plain(before + time + after).replace(' UTC', '');
};

describe('a clock time in a sentence', () => {
  it.each<[Locale, keyof Messages, [string, string, string, string]]>([
    ['en', 'payBy', ['Pay by 12:00 AM', 'Pay by 1:05 AM', 'Pay by 12:00 PM', 'Pay by 1:05 PM']],
    [
      'en',
      'pixUntil',
      [
        'Code expires at 12:00 AM',
        'Code expires at 1:05 AM',
        'Code expires at 12:00 PM',
        'Code expires at 1:05 PM',
      ],
    ],
    [
      'es',
      'payBy',
      [
        'Paga antes de las 12:00 a. m.',
        'Paga antes de la 1:05 a. m.',
        'Paga antes de las 12:00 p. m.',
        'Paga antes de la 1:05 p. m.',
      ],
    ],
    [
      'es',
      'pixUntil',
      [
        'El código vence a las 12:00 a. m.',
        'El código vence a la 1:05 a. m.',
        'El código vence a las 12:00 p. m.',
        'El código vence a la 1:05 p. m.',
      ],
    ],
    ['pt', 'payBy', ['Pague até 0h', 'Pague até 1h05', 'Pague até 12h', 'Pague até 13h05']],
    [
      'pt',
      'pixUntil',
      [
        'O código expira à 0h',
        'O código expira à 1h05',
        'O código expira às 12h',
        'O código expira às 13h05',
      ],
    ],
    ['pt', 'pixRateAt', ['cotação da 0h', 'cotação da 1h05', 'cotação das 12h', 'cotação das 13h05']],
  ])('follows the grammar of %s: %s at 0:00, 1:05, 12:00 and 13:05', (locale, name, expected) => {
    expect([at(0), at(1, 5), at(12), at(13, 5)].map((instant) => sentence(locale, name, instant))).toEqual(
      expected,
    );
  });

  it.each([
    ['es', 'a {la|las} {time}', at(14, 5), 'a las 2:05 p. m.'],
    ['pt', 'até {time}', at(14, 5), 'até 14h05'],
    ['pt', '{à|às} {time}', at(14, 5), 'às 14h05'],
    ['en', 'no time in it', at(14, 5), 'no time in it2:05 PM'],
  ] as const)('%s: "%s" has the article that fits the hour', (locale, text, instant, expected) => {
    const { before, time, after } = withTime(locale, text, instant);
    expect(plain(before + time + after).replace(' UTC', '')).toBe(expected);
  });

  it('names its zone, UTC, until the script replaces it', () => {
    expect(plain(clockTime('en', at(13, 5)))).toBe('1:05 PM UTC');
    expect(plain(dayAndTime('es', at(13, 5)))).toBe('14 mar 2030, 1:05 p. m. UTC');
    expect(plain(dayAndTime('pt', at(9)))).toBe('14 de mar. de 2030, 9h UTC');
  });

  it('is written by the script of the page as by the server, at every hour in every language', () => {
    const code = readFileSync('src/checkout-page/assets/page/times.js', 'utf8').replaceAll(/^export /gm, '');
    const script = createContext({ Intl, Date });
    runInContext(code, script);
    const zone = "{ timeZone: 'UTC', timeZoneName: 'short' }";
    for (const locale of locales) {
      const tag = JSON.stringify(languageTags[locale]);
      for (let hour = 0; hour < 24; hour += 1) {
        const instant = at(hour, hour % 2 === 0 ? 0 : 5);
        const ofScript: unknown = runInContext(
          `[clockTime(${tag}, ${instant}, 'la|las', ${zone}), dayAndTime(${tag}, ${instant}, ${zone})].join()`,
          script,
        );
        expect(ofScript).toBe([clockTime(locale, instant, 'la|las'), dayAndTime(locale, instant)].join());
      }
    }
  });
});

it.each([
  ['en', '$4,250.50'],
  ['es', 'USD 4,250.50'],
  ['pt', 'US$ 4.250,50'],
] as const)('formats amounts as is usual in %s', (locale, expected) => {
  expect(plain(money(locale, 425_050))).toBe(expected);
});
