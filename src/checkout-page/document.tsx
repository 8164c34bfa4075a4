import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Locale } from '../domain/statuses.ts';
import { assets } from './assets.ts';

/** The HTML document around every page of the customer. */
export interface DocumentOptions {
  locale: Locale;
  title: string;
  /** Whether the page's script runs. */
  script: boolean;
  /** Where browsers without script ask again, and after how many seconds. */
  poll?: { seconds: number; url: string } | undefined;
  /** Asks the server again after this many seconds in every browser; for pages no script runs on. */
  refreshSeconds?: number | undefined;
  /** Leaves for this address at once, in place of this page in the browser's history. */
  forwardTo?: string | undefined;
}

/** Renders a complete document. Text is escaped by rendering; nothing is inline but markup. */
export function renderDocument(options: DocumentOptions, body: ComponentChildren): string {
  const { style, script } = assets;
  const refresh =
    options.forwardTo !== undefined
      ? `0;url=${options.forwardTo}`
      : options.refreshSeconds === undefined
        ? null
        : String(options.refreshSeconds);
  const html = renderToString(
    <html lang={options.locale}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        {refresh === null ? null : <meta httpEquiv="refresh" content={refresh} />}
        {options.poll === undefined ? null : (
          <noscript>
            <meta httpEquiv="refresh" content={`${options.poll.seconds};url=${options.poll.url}`} />
          </noscript>
        )}
        <title>{options.title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={style.versionedPath} integrity={style.integrity} />
        {options.script ? (
          <script type="module" src={script.versionedPath} integrity={script.integrity} />
        ) : null}
      </head>
      <body>{body}</body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
