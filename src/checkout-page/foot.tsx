import { LockIcon } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import type { CheckoutView } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

/**
 * Why the payment is safe here and, for cards only, how it appears on the statement. Shown below Pay; the
 * style shows the lines of the chosen method, also without script.
 */
export function SafetyLine({ view, text }: Props) {
  const { state } = view;
  const takesCards = state.kind === 'open' && state.methods.includes('card');
  const takesOthers = state.kind !== 'open' || state.methods.some((method) => method !== 'card');
  const isOfCard = takesCards || (state.kind === 'processing' && state.card !== null);
  const { statementDescriptor } = view.branding;
  return (
    <>
      <p class="safety">
        <LockIcon />
        {takesCards ? (
          <span class="of-card" dir="auto">
            {fill(text.cardSafety, { merchant: view.merchantName })}
          </span>
        ) : null}
        {takesOthers ? <span class="of-others">{text.encrypted}</span> : null}
      </p>
      {statementDescriptor === null || !isOfCard ? null : (
        <p class="descriptor of-card">{fill(text.descriptor, { descriptor: statementDescriptor })}</p>
      )}
    </>
  );
}

/** The operator of the page, and the links to help and terms. */
export function Foot({ view, text }: Props) {
  const { supportUrl, supportEmail, termsUrl, privacyUrl } = view.branding;
  const help = supportUrl ?? (supportEmail === null ? null : `mailto:${supportEmail}`);
  const links = [
    { href: help, label: text.help },
    { href: termsUrl, label: text.terms },
    { href: privacyUrl, label: text.privacy },
  ];
  return (
    <footer class="foot">
      <span>{fill(text.runBy, { host: view.host })}</span>
      {links.map(({ href, label }) =>
        href === null ? null : (
          <a key={label} href={href} target="_blank" rel="noopener noreferrer">
            {label}
          </a>
        ),
      )}
    </footer>
  );
}
