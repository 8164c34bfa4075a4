import { renderToString } from 'preact-render-to-string';
import type { Locale } from '../domain/statuses.ts';

/** A page that says one thing and offers at most two ways on. Text is escaped by rendering. */
export interface MessagePage {
  locale: Locale;
  title: string;
  text: string;
  links: { href: string; label: string; primary: boolean }[];
  /** Asks the server again after this many seconds; for states that end by themselves. */
  refreshSeconds?: number;
}

/** Renders a complete HTML document that works without script. */
export function renderMessagePage(page: MessagePage): string {
  const html = renderToString(
    <html lang={page.locale}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {page.refreshSeconds === undefined ? null : (
          <meta httpEquiv="refresh" content={String(page.refreshSeconds)} />
        )}
        <title>{page.title}</title>
        <link rel="stylesheet" href="/assets/page.css" />
      </head>
      <body>
        <main>
          <h1>{page.title}</h1>
          <p role="status">{page.text}</p>
          {page.links.length === 0 ? null : (
            <p class="actions">
              {page.links.map((link) => (
                <a
                  key={link.href}
                  class={link.primary ? 'button' : 'quiet'}
                  href={link.href}
                  rel="noreferrer"
                >
                  {link.label}
                </a>
              ))}
            </p>
          )}
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
