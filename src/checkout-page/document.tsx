import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Locale } from '../domain/statuses.ts';
import { assets } from './assets.ts';
import { accentPath } from './shop.ts';
import type { Appearance, Theme } from './view.ts';

/** Options of the HTML document around every page of the customer. */
export interface DocumentOptions {
  locale: Locale;
  title: string;
  /** Whether the page runs its script. */
  script: boolean;
  theme?: Theme | null;
  appearance?: Pick<Appearance, 'radius' | 'font'>;
  embedded?: boolean;
  /** A sentence about the page, for the preview that contains it. */
  note?: string | undefined;
  /** The shop's accent color, `#rrggbb`. */
  accent?: string | null;
  /** Address of the icon. By default it is empty, so that no browser requests /favicon.ico. */
  favicon?: string;
  /** The address that browsers without script load after this many seconds. */
  poll?: { seconds: number; url: string } | undefined;
  /** Reloads after this many seconds in every browser; for pages without script. */
  refreshSeconds?: number | undefined;
  /** Forwards to this address at once, which replaces this page in the browser's history. */
  forwardTo?: string | undefined;
}

/** Returns a complete document. Text is escaped by rendering; style and script are never inline. */
export function renderDocument(options: DocumentOptions, body: ComponentChildren): string {
  const { style, script } = assets;
  const { accent = null, favicon = 'data:,' } = options;
  const refresh =
    options.forwardTo !== undefined
      ? `0;url=${options.forwardTo}`
      : options.refreshSeconds === undefined
        ? null
        : String(options.refreshSeconds);
  const html = renderToString(
    <html
      lang={options.locale}
      data-theme={options.theme ?? undefined}
      data-radius={options.appearance?.radius ?? undefined}
      data-font={options.appearance?.font ?? undefined}
      class={options.embedded ? 'embedded' : undefined}
      data-note={options.note}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {refresh === null ? null : <meta httpEquiv="refresh" content={refresh} />}
        {options.poll === undefined ? null : (
          <noscript>
            <meta httpEquiv="refresh" content={`${options.poll.seconds};url=${options.poll.url}`} />
          </noscript>
        )}
        <title>{options.title}</title>
        <link rel="icon" href={favicon} />
        <link rel="stylesheet" href={style.versionedPath} integrity={style.integrity} />
        {accent === null ? null : <link rel="stylesheet" href={accentPath(accent)} />}
        {options.script ? (
          <script type="module" src={script.versionedPath} integrity={script.integrity} />
        ) : null}
      </head>
      <body>{body}</body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
