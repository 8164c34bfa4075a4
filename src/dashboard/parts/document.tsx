import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { dashboardAssets } from './assets.ts';
import { labelOf } from './format.ts';
import { NoticeLine } from './parts.tsx';
import { type Frame, type Notice, type Section, sections } from './view.ts';

/** Returns a whole document around a page of the dashboard. Nothing in it is inline but markup. */
function renderDocument(title: string, body: ComponentChildren): string {
  const { style, script } = dashboardAssets;
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Dashboard`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={style.versionedPath} integrity={style.integrity} />
        <script type="module" src={script.versionedPath} integrity={script.integrity} />
      </head>
      <body>{body}</body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** One page of somebody who is signed in. */
export interface FramedPage {
  title: string;
  section: Section | null;
  notice?: Notice | null;
  /** A way back, above the title. */
  back?: { href: string; label: string };
  /** Beside the title: its main action, or what the thing is. */
  aside?: ComponentChildren;
}

/** Returns a page in the frame of the dashboard: navigation, environment, who is signed in. */
export function renderPage(frame: Frame, page: FramedPage, body: ComponentChildren): string {
  return renderDocument(
    page.title,
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Head frame={frame} section={page.section} />
      <Navigation frame={frame} section={page.section} />
      <main id="main" tabIndex={-1}>
        {page.back === undefined ? null : (
          <a class="back" href={page.back.href}>
            ← {page.back.label}
          </a>
        )}
        <div class="title">
          <h1>{page.title}</h1>
          {page.aside ?? null}
        </div>
        {page.notice ? <NoticeLine notice={page.notice} /> : null}
        {body}
      </main>
    </div>,
  );
}

/** Returns a page for whoever is not signed in, or may not go on: one thing, in the middle. */
export function renderPlainPage(title: string, body: ComponentChildren, notice?: Notice | null): string {
  return renderDocument(
    title,
    <main id="main" class="lone" tabIndex={-1}>
      <div class="card">
        <h1>{title}</h1>
        {notice ? <NoticeLine notice={notice} /> : null}
        {body}
      </div>
    </main>,
  );
}

function Head({ frame, section }: { frame: Frame; section: Section | null }) {
  const place = section === null || section === 'home' ? '' : `/${section}`;
  return (
    <header class="top">
      <a class="brand" href={frame.base}>
        <span class="mark" aria-hidden="true">
          {frame.merchantName.trim().charAt(0).toUpperCase() || '·'}
        </span>
        <span class="brand-name">{frame.merchantName}</span>
      </a>
      <nav class="environments" aria-label="Environment">
        {(['sandbox', 'live'] as const).map((environment) => (
          <a
            key={environment}
            href={`/dashboard/${environment}${place}`}
            aria-current={environment === frame.environment ? 'true' : undefined}
          >
            {labelOf(environment)}
          </a>
        ))}
      </nav>
      <form class="who" method="post" action={`${frame.base}/sign-out`}>
        <input type="hidden" name="csrf" value={frame.csrf} />
        <span>
          {frame.memberName}{' '}
          {frame.memberName === labelOf(frame.role) ? null : <small>{labelOf(frame.role)}</small>}
        </span>
        <button class="quiet" type="submit" data-testid="sign-out">
          Sign out
        </button>
      </form>
    </header>
  );
}

function Navigation({ frame, section }: { frame: Frame; section: Section | null }) {
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {sections.map((name) => (
          <li key={name}>
            <a
              href={name === 'home' ? frame.base : `${frame.base}/${name}`}
              aria-current={name === section ? 'page' : undefined}
              data-testid={`nav-${name}`}
            >
              {labelOf(name)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
