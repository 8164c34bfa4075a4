import { locales } from '../domain/statuses.ts';
import { PurchaseSummary, hasPurchaseDetails } from './purchase-summary.tsx';
import { money } from './format.ts';
import { BackIcon, GlobeIcon } from './icons.tsx';
import { languageNames, messages, type Messages } from './messages.ts';
import { logoPath, tileLetter } from './shop.ts';
import { type CheckoutView, pagePath } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

/** The shop, the amount and the order: a bar on a phone, elsewhere a column beside the payment. */
export function Summary({ view, text }: Props) {
  return (
    <div class="summary">
      <div class="shop">
        {mayCancel(view) ? <CancelLink view={view} text={text} /> : null}
        <ShopMark merchantName={view.merchantName} branding={view.branding} theme={view.theme} />
        <span class="shop-name" dir="auto">
          {view.merchantName}
        </span>
      </div>
      <p class="total">
        <span class="total-name">{text.total}</span>{' '}
        <span class="amount">{money(view.locale, view.amountCents)}</span>
      </p>
      <dl class={hasPurchaseDetails(view) && view.state.kind !== 'paid' ? 'facts beside' : 'facts'}>
        <div>
          <dt>{text.order}</dt>
          <dd dir="auto">{view.reference}</dd>
        </div>
      </dl>
      <PurchaseSummary view={view} text={text} />
    </div>
  );
}

/** The customer can cancel unless an attempt is running. The final states have their own link to the shop. */
const mayCancel = ({ state }: CheckoutView): boolean =>
  state.kind !== 'processing' && state.kind !== 'paid' && state.kind !== 'closed';

/** The link back to the shop; the payment is unchanged (PAGE-05). */
function CancelLink({ view, text }: Props) {
  return (
    <a
      class="back"
      id="cancel"
      href={view.cancelUrl}
      target="_top"
      rel="noreferrer"
      data-testid="cancel"
      aria-label={text.cancel}
      title={text.cancel}
    >
      <BackIcon />
      <span class="back-name">{text.cancelShort}</span>
    </a>
  );
}

type ShopMarkProps = Pick<CheckoutView, 'merchantName' | 'branding' | 'theme'>;

/**
 * The shop's logo for the page's light or dark theme, else the first letter of its name. Print is always
 * light.
 */
export function ShopMark({ merchantName, branding, theme }: ShopMarkProps) {
  const { logo, darkLogo } = branding;
  if (logo !== null) {
    const size = { width: logo.width, height: logo.height };
    if (darkLogo === null) return <img class="logo" src={logoPath(logo)} alt="" {...size} />;
    const light = <img class="logo bare" src={logoPath(logo)} alt="" {...size} />;
    if (theme === 'light') return light;
    return (
      <picture>
        <source
          media={theme === 'dark' ? 'screen' : 'screen and (prefers-color-scheme: dark)'}
          srcset={logoPath(darkLogo)}
          width={darkLogo.width}
          height={darkLogo.height}
        />
        {light}
      </picture>
    );
  }
  return (
    <span class="tile" aria-hidden="true">
      {tileLetter(merchantName)}
    </span>
  );
}

/** The test mode notice and the languages, above everything else. */
export function TopBar({ view, text }: Props) {
  return (
    <div class="strip">
      {view.environment === 'sandbox' ? (
        <p class="test">
          <strong>{text.testMode}</strong> <span class="unseen">{text.testText}</span>
        </p>
      ) : null}
      {view.state.kind === 'processing' ? null : <Languages view={view} text={text} />}
      {view.state.kind === 'processing' ? null : <OfferedLanguage view={view} />}
    </div>
  );
}

/** One line that offers the page in the browser's language, written in that language. */
function OfferedLanguage({ view }: { view: CheckoutView }) {
  const { offered } = view;
  if (offered === null) return null;
  return (
    <p class="offered" lang={offered} data-testid="offered-language">
      <GlobeIcon />
      <a href={pagePath({ ...view, locale: offered })} hreflang={offered}>
        {messages[offered].alsoInThis}
      </a>
    </p>
  );
}

/** Links that show the same payment in the same state in another language. */
function Languages({ view, text }: Props) {
  return (
    <nav class="languages" id="languages" aria-label={text.language}>
      {locales.map((locale) => (
        <a
          key={locale}
          href={pagePath({ ...view, locale })}
          lang={locale}
          hreflang={locale}
          aria-current={locale === view.locale ? 'true' : undefined}
        >
          {languageNames[locale]}
        </a>
      ))}
    </nav>
  );
}
