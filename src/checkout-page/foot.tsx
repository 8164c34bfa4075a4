import { LockIcon } from './icons.tsx';
import { fill, type Messages } from './messages.ts';
import type { CheckoutView } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

/** Why the card is safe here, and how the payment appears on the statement. Shown below Pay. */
export function SafetyLine({ view, text }: Props) {
  const takesCards = view.state.kind === 'open' && view.state.methods.includes('card');
  const { statementDescriptor } = view.branding;
  return (
    <>
      <p class="safety">
        <LockIcon />
        <span dir="auto">
          {takesCards ? fill(text.cardSafety, { merchant: view.merchantName }) : text.encrypted}
        </span>
      </p>
      {statementDescriptor === null ? null : (
        <p class="descriptor">{fill(text.descriptor, { descriptor: statementDescriptor })}</p>
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
