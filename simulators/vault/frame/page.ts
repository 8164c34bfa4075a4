import { html, type Html } from '../../html.ts';
import { FRAME_TEXTS, type FrameLocale } from './texts.ts';

interface Field {
  name: 'card_number' | 'card_expiry_month' | 'card_expiry_year' | 'card_cvv';
  label: string;
  hint: string;
  autocomplete: string;
  maxLength: number;
  wrong: string;
}

/**
 * The card form for one session, to be framed by `parent` (an origin). It holds no secret: the key that lets
 * it capture comes from the parent by message. The script finds everything it needs in `data-` attributes.
 */
export function framePage(frame: { reference: string; parent: string; locale: FrameLocale }): Html {
  const texts = FRAME_TEXTS[frame.locale];
  const number = field({
    name: 'card_number',
    label: texts.number,
    hint: '',
    autocomplete: 'cc-number',
    maxLength: 23,
    wrong: texts.numberWrong,
  });
  const month = field({
    name: 'card_expiry_month',
    label: texts.month,
    hint: texts.monthHint,
    autocomplete: 'cc-exp-month',
    maxLength: 2,
    wrong: texts.monthWrong,
  });
  const year = field({
    name: 'card_expiry_year',
    label: texts.year,
    hint: texts.yearHint,
    autocomplete: 'cc-exp-year',
    maxLength: 2,
    wrong: texts.yearWrong,
  });
  const cvv = field({
    name: 'card_cvv',
    label: texts.cvv,
    hint: texts.cvvHint,
    autocomplete: 'cc-csc',
    maxLength: 4,
    wrong: texts.cvvWrong,
  });
  return html`<!doctype html>
    <html lang="${frame.locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${texts.title}</title>
        <link rel="stylesheet" href="/frame/assets/frame.css" />
        <script src="/frame/assets/frame.js" defer></script>
      </head>
      <body>
        <main>
          <h1 class="unseen">${texts.title}</h1>
          <form
            id="card"
            novalidate
            data-reference="${frame.reference}"
            data-parent="${frame.parent}"
            data-locale="${frame.locale}"
            data-unsupported="${texts.numberUnsupported}"
            data-expired="${texts.expired}"
            data-access-over="${texts.accessOver}"
            data-unavailable="${texts.unavailable}"
          >
            ${number}
            <div class="row">${month} ${year} ${cvv}</div>
            <p class="note">${texts.sandbox}</p>
            <p id="problem" class="problem" role="alert"></p>
          </form>
        </main>
      </body>
    </html> `;
}

function field({ name, label, hint, autocomplete, maxLength, wrong }: Field): Html {
  const brand =
    name === 'card_number' ? html`<output id="brand" for="card_number" class="brand"></output>` : html``;
  const hintLine = hint === '' ? html`` : html`<span id="${name}_hint" class="hint">${hint}</span>`;
  const describedBy = hint === '' ? `${name}_problem` : `${name}_hint ${name}_problem`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <div class="box">
      <input
        id="${name}"
        name="${name}"
        type="text"
        inputmode="numeric"
        autocomplete="${autocomplete}"
        maxlength="${maxLength}"
        autocapitalize="off"
        spellcheck="false"
        required
        aria-required="true"
        aria-describedby="${describedBy}"
        data-wrong="${wrong}"
      />
      ${brand}
    </div>
    ${hintLine}
    <span id="${name}_problem" class="problem"></span>
  </div>`;
}
