import { renderFramePage } from '../../../src/card-frame/frame-page.tsx';
import { frameFiles } from '../../../src/card-frame/files.ts';
import { frameLocales, frameTexts } from '../../../src/card-frame/texts.ts';
import { renderCheckoutPage } from '../../../src/checkout-page/checkout-page.tsx';
import { renderMessagePage } from '../../../src/checkout-page/message-page.tsx';
import { failureLines } from '../../../src/checkout-page/methods-form.tsx';
import { type Messages, messages } from '../../../src/checkout-page/messages.ts';
import { locales } from '../../../src/domain/statuses.ts';
import { refusals } from '../../../src/domain/refusals.ts';
import { allViews } from './views.ts';

/**
 * Attributes whose values are addresses, ids or settings. The values of all other `data-` attributes are
 * texts.
 */
const technical =
  /^data-(testid|articles|day|kind|unsettled|fingerprint|path|query|tag|payment-id|expires|now|success-url|frame-origins|form-token|accent|capture-url|key-header|parent|accepted|method)$/;

/** Returns the sentences of a document: its text, and the attributes that people read or the script shows. */
function sentencesOf(html: string): string {
  const attributes = [...html.matchAll(/\s([a-z-]+)="([^"]*)"/g)]
    .filter(
      ([, name = '']) => /^(aria-label|title|alt|placeholder|data-.*)$/.test(name) && !technical.test(name),
    )
    .map(([, , value]) => value);
  const text = html.replaceAll(/<[^>]*>/g, '\n').replace('00020126580014br.gov.bcb.pix', '');
  return [text, ...attributes].join('\n').replaceAll('&#39;', "'").replaceAll('&quot;', '"');
}

/** Returns the words in the style of code: `amountCents`, `checkout_expired`, and unfilled placeholders. */
const codeWords = (text: string): string[] =>
  text.match(/\b[a-z]+[A-Z]\w*|\b[A-Za-z]+_\w+|\{[^}]*\}|\b(?:undefined|null|NaN|\[object)\b/g) ?? [];

describe.each(locales)('the sentences of the checkout in %s', (locale) => {
  const text = messages[locale];

  it('never name a field, a code or a placeholder, in any state of the page', () => {
    expect(allViews.length).toBeGreaterThan(40);
    const faults = allViews.flatMap((view) => {
      const sentences = sentencesOf(renderCheckoutPage({ ...view, locale }));
      expect(sentences).toContain(text.total);
      // The script fills in the remaining time and the card.
      return codeWords(sentences.replaceAll(text.timeLeft, '').replaceAll(text.payingWith, '')).map(
        (word) => ({
          word,
          state: view.state,
        }),
      );
    });
    expect(faults).toEqual([]);
  });

  it('never show a code of a refusal', () => {
    const codes = Object.keys(refusals).filter((code) => code.includes('_'));
    expect(codes.length).toBeGreaterThan(10);
    const all = allViews.map((view) => sentencesOf(renderCheckoutPage({ ...view, locale }))).join('\n');
    expect(codes.filter((code) => all.includes(code))).toEqual([]);
  });

  it('are plain on message pages and in the card form', () => {
    const page = (title: string, line: string) =>
      renderMessagePage({
        locale,
        title,
        text: line,
        icon: 'stop',
        links: [{ href: '/x', label: text.continue, primary: true }],
      });
    const pages = [
      page(text.unknownTitle, text.unknownText),
      page(text.troubleTitle, text.troubleText),
      page(text.refusedTitle, text.refusedText),
      page(text.unfinishedTitle, text.unfinishedText),
      page(text.declinedTitle, text.declinedText),
      page(text.stepDoneTitle, text.stepDoneText),
      page(text.forwardTitle, text.forwardText),
    ];
    expect(pages.flatMap((html) => codeWords(sentencesOf(html)))).toEqual([]);
    const frameLocale = frameLocales.find((known) => known === locale) ?? 'en';
    const form = renderFramePage(
      {
        parent: 'https://pay.example',
        locale: frameLocale,
        capture: { url: 'https://vault.example', keyHeader: 'x-key' },
        acceptedBrands: ['visa'],
        testCardsUrl: '/cards',
      },
      frameFiles,
    );
    expect(sentencesOf(form)).toContain(frameTexts[frameLocale].numberShort);
    // The script fills in the brand.
    const sentences = sentencesOf(form).replaceAll(frameTexts[frameLocale].brandRefused, '');
    expect(codeWords(sentences)).toEqual([]);
  });

  it('use the plural that fits the number of attempts', () => {
    const detail = (attemptsLeft: number) => failureLines('failure_declined', attemptsLeft, text).detail;
    const plural = { en: /4 attempts/, es: /quedan 4 intentos/, pt: /4 tentativas/ }[locale];
    const singular = { en: /1 attempt\b/, es: /queda 1 intento\b/, pt: /1 tentativa\b/ }[locale];
    expect(detail(4)).toMatch(plural);
    expect(detail(1)).toMatch(singular);
  });

  it('end with a full stop after sentences, and without one after titles and buttons', () => {
    const named = (pattern: RegExp) => Object.entries(text).filter(([name]) => pattern.test(name));
    const titles = named(/Title$|^(continue|backToShop|pay|otherWay|walletOpen|print|copy|stepDone)$/);
    expect(titles.filter(([, line]) => /[.:;]$/.test(line))).toEqual([]);
    const sentences = named(/Text$|Hint$|^(pixStep|offline|slow|notice|unsettled)/);
    expect(sentences.filter(([, line]) => !/[.…]$/.test(line))).toEqual([]);
  });
});

it('every language has the placeholders of English; only the name of the shop may be left out', () => {
  const placeholders = (line: string) => (line.match(/\{\w+\}/g) ?? []).toSorted();
  for (const locale of locales) {
    for (const [name, line] of Object.entries(messages[locale])) {
      expect(line.trim()).not.toBe('');
      const english = placeholders(messages.en[name as keyof Messages]);
      const own = placeholders(line);
      const expected = own.includes('{merchant}') ? english : english.filter((one) => one !== '{merchant}');
      expect({ locale, name, own }).toEqual({ locale, name, own: expected });
    }
  }
});

it.each([
  ['es', 'tú', /(?<!\p{L})(?:usted(?:es)?|sus?|ingrese|pruebe|vuelva a)(?!\p{L})/iu, 'Confirme su pago'],
  [
    'pt',
    'você',
    /(?<!\p{L})(?:tu|te|ti|teus?|tuas?|contigo|queres|podes)(?!\p{L})/iu,
    'Confirma o teu pagamento',
  ],
] as const)('%s addresses the customer as %s', (locale, _pronoun, other, example) => {
  const sentences = Object.values({ ...messages[locale], ...frameTexts[locale] });
  expect(sentences.filter((sentence) => other.test(sentence))).toEqual([]);
  expect(example).toMatch(other);
});
