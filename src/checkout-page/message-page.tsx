import type { Locale } from '../domain/statuses.ts';
import { renderDocument } from './document.tsx';

/** A page that says one thing and offers at most two ways on. Text is escaped by rendering. */
export interface MessagePage {
  locale: Locale;
  title: string;
  text: string;
  links: { href: string; label: string; primary: boolean; target?: '_parent' | '_top' }[];
  /** Asks the server again after this many seconds; for states that end by themselves. */
  refreshSeconds?: number;
  /** Leaves for this address at once. */
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
