import { rateInReais, reais } from './format.ts';
import { CopyIcon } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import { qrPath } from './qr.ts';
import { OtherWay } from './step-parts.tsx';
import { TimeText } from './time-text.tsx';
import type { CheckoutView, PageState } from './view.ts';

interface Props {
  view: CheckoutView;
  state: Extract<PageState, { kind: 'pix' }>;
  text: Messages;
}

/** A Pix payment: the three steps, the code to copy, and the code to scan. */
export function Pix({ view, state, text }: Props) {
  return (
    <>
      <Reais view={view} state={state} text={text} />
      <ol class="steps">
        <li>{text.pixStepOpen}</li>
        <li>{text.pixStepCode}</li>
        <li>{text.pixStepConfirm}</li>
      </ol>
      <div class="pix-code">
        <QrCode code={state.code} text={text} />
        <div class="pix-copy">
          <label for="pix-code">{text.pixCode}</label>
          <textarea id="pix-code" class="code" readOnly rows={4} value={state.code} />
          <button type="button" class="button needs-script" id="copy" data-copied={text.copied}>
            <CopyIcon />
            <span>{text.copy}</span>
          </button>
        </div>
      </div>
      <p class="waiting">
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        <span>
          {text.pixWaiting}
          <small>
            <TimeText view={view} text={text.pixUntil} atMs={state.expiresAtMs} />
          </small>
        </span>
      </p>
      {state.settleUrl === null ? null : (
        <p class="sandbox-step">
          <a href={state.settleUrl} target="_blank" rel="noopener noreferrer" data-testid="pix-sandbox">
            {text.pixSettle}
          </a>
        </p>
      )}
      <OtherWay view={view} text={text} />
    </>
  );
}

/** The amount in reais that the bank will show, if the network names one. */
function Reais({ view, state: { reais: shown }, text }: Props) {
  if (shown === null) return null;
  return (
    <dl class="reais">
      <dt>{text.pixAmount}</dt>
      <dd>
        <strong data-testid="pix-amount">{reais(view.locale, shown.amountCents)}</strong>
        <small>{fill(text.pixRate, { rate: rateInReais(view.locale, shown.rate) })}</small>{' '}
        {/* On a line of its own, because the text gets shorter without the name of the time zone. */}
        <small>
          <TimeText view={view} text={text.pixRateAt} atMs={shown.rateAtMs} />
        </small>
      </dd>
    </dl>
  );
}

function QrCode({ code, text }: { code: string; text: Messages }) {
  const { side, path } = qrPath(code);
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={text.pixQr}
      shape-rendering="crispEdges"
    >
      <path class="qr-ground" d={`M0 0h${side}v${side}H0z`} />
      <path class="qr-code" d={path} />
    </svg>
  );
}
