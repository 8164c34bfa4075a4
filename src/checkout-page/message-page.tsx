import type { Branding } from '../domain/branding.ts';
import type { Locale } from '../domain/statuses.ts';
import { renderDocument } from './document.tsx';
import { EndIcon, type EndKind } from './icons.tsx';
import { faviconUrl } from './shop.ts';
import { ShopMark } from './summary.tsx';

/** The shop to which the page belongs. */
export interface MessageShop {
  name: string;
  branding: Branding;
}

/** A page with one message and at most two links. Text is escaped by rendering. */
export interface MessagePage {
  locale: Locale;
  title: string;
  text: string;
  icon?: EndKind;
  links: { href: string; label: string; primary: boolean; target?: '_parent' | '_top' }[];
  /** Absent if the page must not reveal whose it is. */
  shop?: MessageShop;
  /** Reloads after this many seconds, for states that end without the customer. */
  refreshSeconds?: number;
  /** Forwards to this address at once. */
  forwardTo?: string;
}

/** Renders a complete HTML document that works without script. */
export function renderMessagePage(page: MessagePage): string {
  const { locale, title, shop, refreshSeconds, forwardTo } = page;
  const appearance = shop && {
    accent: shop.branding.accent,
    favicon: faviconUrl(shop.name, shop.branding),
  };
  return renderDocument(
    { locale, title, script: false, refreshSeconds, forwardTo, ...appearance },
    <main class="message">
      {shop === undefined ? null : (
        <p class="shop">
          <ShopMark merchantName={shop.name} branding={shop.branding} theme={null} />
          <span class="shop-name" dir="auto">
            {shop.name}
          </span>
        </p>
      )}
      {page.icon === undefined ? null : <EndIcon kind={page.icon} />}
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
