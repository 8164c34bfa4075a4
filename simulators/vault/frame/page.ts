import { html, type Html } from '../../html.ts';
import { TEST_CARD_NUMBERS } from '../../test-cards.ts';
import { FRAME_TEXTS, type FrameLocale, type FrameTexts } from './texts.ts';

interface Field {
  name: 'card_number' | 'card_expiry' | 'card_cvv';
  label: string;
  placeholder: string;
  autocomplete: string;
  maxLength: number;
  /** What is wrong with it, by the words the script uses. */
  problems: Html;
  mark: Html;
  describedBy?: string;
}

/** Addresses of the frame's files, which change with their content. */
export interface FrameFiles {
  script: string;
  style: string;
}

/** Where the frame sends the card, and the header it shows its key in. */
export interface FrameCapture {
  path: string;
  keyHeader: string;
}

/**
 * The card form for one session, to be framed by `parent` (an origin). It holds no secret: the key that lets
 * it capture comes from the parent by message. The script finds everything it needs in `data-` attributes.
 */
export function framePage(
  frame: { reference: string; parent: string; locale: FrameLocale; capture: FrameCapture },
  files: FrameFiles,
): Html {
  const texts = FRAME_TEXTS[frame.locale];
  return html`<!doctype html>
    <html lang="${frame.locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${texts.title}</title>
        <link rel="stylesheet" href="${files.style}" />
        <script src="${files.script}" defer></script>
      </head>
      <body>
        <main>
          <h1 class="unseen">${texts.title}</h1>
          <form
            id="card"
            novalidate
            data-reference="${frame.reference}"
            data-capture-path="${frame.capture.path}"
            data-key-header="${frame.capture.keyHeader}"
            data-parent="${frame.parent}"
            data-access-over="${texts.accessOver}"
            data-unavailable="${texts.unavailable}"
          >
            <div class="group">${numberField(texts)}${expiryField(texts)}${cvvField(texts)}</div>
            <p id="card_number_problem" class="problem"></p>
            <p id="test-cards" class="problem" hidden>
              <a href="/frame/test-cards" target="_blank" rel="noopener">${texts.testCards}</a>
            </p>
            <p id="card_expiry_problem" class="problem"></p>
            <p id="card_cvv_problem" class="problem"></p>
            <p id="problem" class="problem" role="alert"></p>
          </form>
        </main>
      </body>
    </html> `;
}

function numberField(texts: FrameTexts): Html {
  return field({
    name: 'card_number',
    label: texts.number,
    placeholder: '1234 1234 1234 1234',
    autocomplete: 'cc-number',
    maxLength: 23,
    problems: html`data-empty="${texts.numberEmpty}" data-short="${texts.numberShort}"
    data-wrong="${texts.numberMistyped}" data-unsupported="${texts.numberUnsupported}"`,
    mark: html`<output id="brand" for="card_number" class="brand"></output>`,
  });
}

function expiryField(texts: FrameTexts): Html {
  return field({
    name: 'card_expiry',
    label: texts.expiry,
    placeholder: texts.expiryHint,
    autocomplete: 'cc-exp',
    maxLength: 9,
    problems: html`data-empty="${texts.expiryEmpty}" data-wrong="${texts.expiryWrong}"
    data-expired="${texts.expired}"`,
    mark: html``,
  });
}

function cvvField(texts: FrameTexts): Html {
  return field({
    name: 'card_cvv',
    label: texts.cvv,
    placeholder: texts.cvvBack,
    autocomplete: 'cc-csc',
    maxLength: 4,
    problems: html`data-empty="${texts.cvvEmpty}" data-wrong="${texts.cvvWrong}" data-back="${texts.cvvBack}"
    data-front="${texts.cvvFront}" data-back-hint="${texts.cvvBackHint}"
    data-front-hint="${texts.cvvFrontHint}"`,
    mark: html`<svg class="where" viewBox="0 0 34 22" aria-hidden="true" focusable="false">
        <rect class="plate" x=".5" y=".5" width="33" height="21" rx="3" />
        <path class="stripe" d="M1 5h32v4H1z" />
        <rect class="code back" x="20" y="11.5" width="10" height="6" rx="1" />
        <rect class="code front" x="20" y="3.5" width="10" height="6" rx="1" />
      </svg>
      <span id="card_cvv_hint" class="unseen">${texts.cvvBackHint}</span>`,
    describedBy: 'card_cvv_hint ',
  });
}

function field({
  name,
  label,
  placeholder,
  autocomplete,
  maxLength,
  problems,
  mark,
  describedBy,
}: Field): Html {
  return html`<div class="cell ${name}">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="text"
      inputmode="numeric"
      autocomplete="${autocomplete}"
      maxlength="${maxLength}"
      placeholder="${placeholder}"
      autocapitalize="off"
      autocorrect="off"
      spellcheck="false"
      enterkeyhint="${name === 'card_cvv' ? 'go' : 'next'}"
      required
      aria-required="true"
      aria-describedby="${describedBy ?? ''}${name}_problem"
      ${problems}
    />
    ${mark}
  </div>`;
}

/** The numbers that work in the sandbox, for whoever typed another one. */
export function testCardsPage(files: FrameFiles): Html {
  const rows = TEST_CARD_NUMBERS.map((number) => html`<li><code>${grouped(number)}</code></li>`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Test cards</title>
        <link rel="stylesheet" href="${files.style}" />
      </head>
      <body class="list">
        <main>
          <h1>Test cards</h1>
          <p>
            Any date to come, any security code of three digits (four for the number that begins with 3). No
            real card works here. What each number does: docs/simulators.md.
          </p>
          <ul>
            ${rows.reduce((all, row) => html`${all}${row}`, html``)}
          </ul>
        </main>
      </body>
    </html> `;
}

const grouped = (number: string): string =>
  number.startsWith('3')
    ? number.replace(/(\d{4})(\d{6})(\d{5})/, '$1 $2 $3')
    : number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
