import type { Locale } from '../domain/statuses.ts';
import { renderDocument } from './document.tsx';

/** A page with one message and at most two links. Text is escaped by rendering. */
export interface MessagePage {
  locale: Locale;
  title: string;
  text: string;
  links: { href: string; label: string; primary: boolean; target?: '_parent' | '_top' }[];
  /** Reloads after this many seconds; for states that end without the customer. */
  refreshSeconds?: number;
  /** Forwards to this address at once. */
  forwardTo?: string;
}

/** Renders a complete HTML document that works without script. */
export function renderMessagePage(page: MessagePage): string {
  const { locale, title, refreshSeconds, forwardTo } = page;
  return renderDocument(
    { locale, title, script: false, refreshSeconds, forwardTo },
    <main class="message">
      <h1>{page.title}</h1>
      <p role="status">{page.text}</p>
      {page.links.length === 0 ? null : (
        <div class="actions">
          {page.links.map((link) => (
            <a
              key={link.href}
              class={link.primary ? 'button' : 'quiet'}
              href={link.href}
              target={link.target}
              rel="noreferrer"
            >
              {link.label}
            </a>
          ))}
        </div>
      )}
    </main>,
  );
}
