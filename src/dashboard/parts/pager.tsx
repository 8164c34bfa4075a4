import { texts } from '../texts/en.ts';
import type { CursorPages } from './view.ts';

/** A link to another page of a list; an empty element if there is none. */
const PageLink = ({ href, rel, label }: { href: string | null; rel: 'prev' | 'next'; label: string }) =>
  href === null ? (
    <span />
  ) : (
    <a class="btn" data-variant="outline" href={href} rel={rel}>
      {label}
    </a>
  );

/** Links to the previous and next page. */
export function Pager({ before, after }: { before: string | null; after: string | null }) {
  if (before === null && after === null) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <PageLink href={before} rel="prev" label={texts.common.newer} />
      <PageLink href={after} rel="next" label={texts.common.older} />
    </nav>
  );
}

/** Links of a list that is read by cursor. */
export function CursorPager({ first, next }: CursorPages) {
  if (first === null && next === null) return null;
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <PageLink href={first} rel="prev" label={texts.common.newest} />
      <PageLink href={next} rel="next" label={texts.common.next} />
    </nav>
  );
}
