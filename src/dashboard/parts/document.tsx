import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { tileLetter } from '../../checkout-page/shop.ts';
import { texts } from '../texts/en.ts';
import { dashboardAssets } from './assets.ts';
import { RejectedField } from './field-error.tsx';
import { labelOf } from './format.ts';
import { Icon } from './icons.tsx';
import { withMarkup } from './with-markup.ts';
import { NoticeLine, Toast } from './parts.tsx';
import { type Frame, type Notice, type Section, sections } from './view.ts';

/** Returns the HTML document of a page. It has no inline style or script. */
function renderDocument(title: string, body: ComponentChildren): string {
  const { style, script } = dashboardAssets;
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{texts.common.documentTitle(title)}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={style.versionedPath} integrity={style.integrity} />
        <script type="module" src={script.versionedPath} integrity={script.integrity} />
      </head>
      <body data-passkey-failed={texts.common.passkeyFailed}>{body}</body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** A page for a signed-in member. */
export interface FramedPage {
  title: string;
  section: Section | null;
  notice?: Notice | null;
  /** The link above the title. */
  back?: { href: string; label: string };
  /** Shown beside the title: the main action or a status. */
  aside?: ComponentChildren;
}

/** Returns a page in the dashboard's frame: navigation, environment and member. */
export function renderPage(frame: Frame, page: FramedPage, body: ComponentChildren): string {
  return renderDocument(
    page.title,
    <div class="app" data-fresh-for={frame.freshForMs} data-confirm={`${frame.base}/confirm`}>
      <a class="skip" href="#main">
        {texts.common.skipToContent}
      </a>
      <Rail frame={frame} section={page.section} />
      <div class="page">
        {frame.environment === 'sandbox' ? (
          <aside class="strip" data-testid="sandbox-strip" aria-label={texts.common.environment}>
            <Icon of="sandbox" />
            {texts.common.sandboxStrip}
          </aside>
        ) : null}
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
          {frame.attacked === null ? null : <SignInWarning frame={frame} names={frame.attacked} />}
          {page.notice?.kind === 'bad' ? <NoticeLine notice={page.notice} /> : null}
          {page.notice?.kind === 'good' ? <Toast text={page.notice.text} /> : null}
          <RejectedField.Provider value={page.notice ?? null}>{body}</RejectedField.Provider>
          <p class="zone">
            {withMarkup(texts.common.zone, {
              zone: <a href={`${frame.base}/settings#times`}>{frame.timeZone}</a>,
            })}
          </p>
        </main>
      </div>
      {page.title === texts.search.title ? null : <SearchDialog frame={frame} />}
    </div>,
  );
}

/** Returns a page without the frame: a single card, for visitors who are not signed in and for errors. */
export function renderPlainPage(title: string, body: ComponentChildren, notice?: Notice | null): string {
  return renderDocument(
    title,
    <main id="main" class="lone" tabIndex={-1}>
      <p class="lone-brand">
        <span class="mark" aria-hidden="true">
          <Icon of="payments" />
        </span>
        {texts.common.product}
      </p>
      <div class="card">
        <h1>{title}</h1>
        {notice ? <NoticeLine notice={notice} /> : null}
        <RejectedField.Provider value={notice ?? null}>{body}</RejectedField.Provider>
      </div>
    </main>,
  );
}

/** The rail with the merchant and the menu. */
function Rail({ frame, section }: { frame: Frame; section: Section | null }) {
  return (
    <header class="rail">
      <div class="rail-inner">
        <a class="brand" href={frame.base}>
          <span class="mark" aria-hidden="true">
            {tileLetter(frame.merchantName) || '·'}
          </span>
          <span class="brand-name">{frame.merchantName}</span>
        </a>
        <a class="search-short" href={`${frame.base}/search`} aria-label={texts.common.search} data-search>
          <Icon of="search" />
        </a>
        {/* On a phone it opens the menu after it; elsewhere the menu is always open. */}
        <details class="menu-toggle">
          <summary aria-label={texts.common.menu}>
            <Icon of="menu" />
          </summary>
        </details>
        <Menu frame={frame} section={section} />
      </div>
    </header>
  );
}

/** The environments, the sections and the member. */
function Menu({ frame, section }: { frame: Frame; section: Section | null }) {
  const place = section === null || section === 'home' ? '' : `/${section}`;
  return (
    <div class="menu">
      <nav class="environments" aria-label={texts.common.environment}>
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
      <nav class="sections" aria-label={texts.common.sections}>
        <ul>
          <li>
            <a href={`${frame.base}/search`} data-search data-testid="nav-search">
              <Icon of="search" />
              {texts.common.search}
              <kbd class="kbd ms-auto" hidden>
                {texts.common.searchKeys}
              </kbd>
            </a>
          </li>
          {sections.map((name) => (
            <li key={name}>
              <a
                href={name === 'home' ? frame.base : `${frame.base}/${name}`}
                aria-current={name === section ? 'page' : undefined}
                data-testid={`nav-${name}`}
              >
                <Icon of={name} />
                {labelOf(name)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <MemberMenu frame={frame} />
    </div>
  );
}

/** The member's name and role; opened, the way to their sign-in. Beside it, the button that signs out. */
const MemberMenu = ({ frame }: { frame: Frame }) => (
  <div class="who">
    <details data-menu>
      <summary data-testid="member-menu">
        <span>
          {frame.memberName}{' '}
          {frame.memberName === labelOf(frame.role) ? null : <small>{labelOf(frame.role)}</small>}
        </span>
        <Icon of="more" />
      </summary>
      <div>
        <a href={`${frame.base}/team#sign-in`}>{texts.common.yourSignIn}</a>
      </div>
    </details>
    <form method="post" action={`${frame.base}/sign-out`}>
      <input type="hidden" name="csrf" value={frame.csrf} />
      <button
        class="btn"
        data-variant="ghost"
        data-size="icon"
        type="submit"
        title={texts.common.signOut}
        aria-label={texts.common.signOut}
        data-testid="sign-out"
      >
        <Icon of="signOut" />
      </button>
    </form>
  </div>
);

/** The search for everything in a dialog, which needs script; without it the link leads to the page. */
const SearchDialog = ({ frame }: { frame: Frame }) => (
  <dialog class="command-dialog" aria-label={texts.search.title} data-search-dialog>
    <form class="command" method="get" action={`${frame.base}/search`} role="search" data-live>
      <header>
        <Icon of="search" />
        <input
          type="search"
          id="find"
          name="q"
          aria-label={texts.search.field}
          maxLength={255}
          placeholder={texts.search.placeholder}
          autocomplete="off"
          data-testid="search-everything"
        />
      </header>
      <div class="stack" data-results data-find>
        <p class="quiet-text">{texts.search.hint}</p>
      </div>
    </form>
  </dialog>
);

/** A warning that a stranger tries to sign in, shown until the member has seen it. */
const SignInWarning = ({ frame, names }: { frame: Frame; names: string }) => (
  <div class="alert notice bad" role="alert" data-testid="sign-in-warning">
    <p>{texts.common.signInWarning(names)}</p>
    <form method="post" action={`${frame.base}/team/sign-in-warning`}>
      <input type="hidden" name="csrf" value={frame.csrf} />
      <button type="submit" class="btn" data-variant="outline">
        {texts.common.signInWarningSeen}
      </button>
    </form>
  </div>
);
