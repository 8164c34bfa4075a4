import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type FrameFile, markFiles } from './files.ts';
import { type FrameLocale, type FrameTexts, frameTexts } from './texts.ts';

/** The properties of one card form. */
export interface CardFrame {
  /** Origin of the page that frames the form; the form exchanges messages with no other origin. */
  parent: string;
  locale: FrameLocale;
  /**
   * The address to which the browser posts the card, and the header for the key that the parent sends by
   * message.
   */
  capture: { url: string; keyHeader: string };
  /** The accepted brands, named as in assets/frame/card.js. */
  acceptedBrands: readonly string[];
  /** Page that lists the test cards; null if real cards work. */
  testCardsUrl: string | null;
}

interface Field {
  name: 'card_number' | 'card_expiry' | 'card_cvv';
  label: string;
  placeholder: string;
  autocomplete: string;
  maxLength: number;
  /** `data-` attributes: the text of each problem, named as in the script. */
  problems: Record<`data-${string}`, string>;
  children: ComponentChildren;
  hint?: boolean;
}

/**
 * Returns the HTML of the card form. It contains no secret: the parent sends the key for capturing by
 * message. The script reads its settings from `data-` attributes.
 */
export function renderFramePage(frame: CardFrame, files: { script: FrameFile; style: FrameFile }): string {
  const texts = frameTexts[frame.locale];
  return `<!doctype html>${renderToString(
    <html lang={frame.locale}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{texts.title}</title>
        <link rel="stylesheet" href={files.style.versionedPath} integrity={files.style.integrity} />
        <script src={files.script.versionedPath} integrity={files.script.integrity} defer />
      </head>
      <body>
        <main>
          <h1 class="unseen">{texts.title}</h1>
          <form
            id="card"
            noValidate
            data-capture-url={frame.capture.url}
            data-key-header={frame.capture.keyHeader}
            data-parent={frame.parent}
            data-accepted={frame.acceptedBrands.join(' ')}
            data-access-over={texts.accessOver}
            data-unavailable={texts.unavailable}
          >
            <div class="group">
              <NumberField texts={texts} onlyTestCards={frame.testCardsUrl !== null} />
              <ExpiryField texts={texts} />
              <CvvField texts={texts} />
            </div>
            <p id="card_number_problem" class="problem" aria-live="polite" />
            {frame.testCardsUrl === null ? null : (
              <p id="test-cards" class="problem" hidden>
                <a href={frame.testCardsUrl} target="_blank" rel="noopener">
                  {texts.testCards}
                </a>
              </p>
            )}
            <p id="card_expiry_problem" class="problem" aria-live="polite" />
            <p id="card_cvv_problem" class="problem" />
            <p id="problem" class="problem" role="alert" />
          </form>
        </main>
      </body>
    </html>,
  )}`;
}

/** `data-` attributes: the address of each brand's mark, for the script. */
const markAddresses: Readonly<Record<`data-${string}`, string>> = Object.fromEntries(
  Object.entries(markFiles).map(([brand, file]) => [`data-${brand}`, file.versionedPath]),
);

function NumberField({ texts, onlyTestCards }: { texts: FrameTexts; onlyTestCards: boolean }): JSX.Element {
  return (
    <FieldCell
      name="card_number"
      label={texts.number}
      placeholder="1234 1234 1234 1234"
      autocomplete="cc-number"
      maxLength={23}
      problems={{
        'data-empty': texts.numberEmpty,
        'data-short': texts.numberShort,
        'data-wrong': texts.numberMistyped,
        'data-refused': texts.brandRefused,
        'data-unsupported': onlyTestCards ? texts.numberNoTestCard : texts.numberUnsupported,
      }}
    >
      <span class="brand">
        <img id="mark" alt="" width={34} height={22} hidden {...markAddresses} />
        <output id="brand" for="card_number" />
      </span>
    </FieldCell>
  );
}

function ExpiryField({ texts }: { texts: FrameTexts }): JSX.Element {
  return (
    <FieldCell
      name="card_expiry"
      label={texts.expiry}
      placeholder={texts.expiryHint}
      autocomplete="cc-exp"
      maxLength={9}
      problems={{
        'data-empty': texts.expiryEmpty,
        'data-wrong': texts.expiryWrong,
        'data-month': texts.expiryMonth,
        'data-expired': texts.expired,
      }}
    >
      {null}
    </FieldCell>
  );
}

function CvvField({ texts }: { texts: FrameTexts }): JSX.Element {
  return (
    <FieldCell
      name="card_cvv"
      label={texts.cvv}
      placeholder={texts.cvvBack}
      autocomplete="cc-csc"
      maxLength={4}
      hint
      problems={{
        'data-empty': texts.cvvEmpty,
        'data-wrong': texts.cvvWrong,
        'data-back': texts.cvvBack,
        'data-front': texts.cvvFront,
        'data-back-hint': texts.cvvBackHint,
        'data-front-hint': texts.cvvFrontHint,
      }}
    >
      <svg class="where" viewBox="0 0 34 22" aria-hidden="true" focusable="false">
        <rect class="plate" x=".5" y=".5" width="33" height="21" rx="3" />
        <path class="stripe" d="M1 5h32v4H1z" />
        <rect class="code back" x="20" y="11.5" width="10" height="6" rx="1" />
        <rect class="code front" x="20" y="3.5" width="10" height="6" rx="1" />
      </svg>
      <span id="card_cvv_hint" class="unseen">
        {texts.cvvBackHint}
      </span>
    </FieldCell>
  );
}

function FieldCell({ name, label, problems, hint, children, ...input }: Field): JSX.Element {
  return (
    <div class={`cell ${name}`}>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="text"
        inputMode="numeric"
        autocapitalize="off"
        autocorrect="off"
        spellcheck={false}
        enterKeyHint={name === 'card_cvv' ? 'go' : 'next'}
        required
        aria-required="true"
        aria-describedby={`${hint ? `${name}_hint ` : ''}${name}_problem`}
        {...input}
        {...problems}
      />
      {children}
    </div>
  );
}
