import type { ComponentChildren } from 'preact';
import { fill, type Messages } from './messages.ts';
import { type CheckoutView, pagePath } from './view.ts';

interface Props {
  view: CheckoutView;
  text: Messages;
}

export function Actions({ children }: { children: ComponentChildren }) {
  return <div class="actions">{children}</div>;
}

export function BackToShop({ url, text }: { url: string; text: Messages }) {
  return (
    <a class="button" href={url} target="_top" rel="noreferrer" data-testid="back-to-shop">
      {text.backToShop}
    </a>
  );
}

/**
 * The button that cancels the open step. The attempt is closed at the network first, so it can never be
 * charged later. The button states beforehand how many attempts are left.
 */
export function OtherWay({ view, text }: Props) {
  const left = view.attemptsLeft - 1;
  const cost =
    left > 1
      ? fill(text.otherWayMany, { count: String(left) })
      : left === 1
        ? text.otherWayOne
        : text.otherWayNone;
  return (
    <form class="other-way" id="other-way" method="post" action={pagePath(view, '/leave-step')}>
      <input type="hidden" name="form" value={view.formToken} />
      <button class="secondary" type="submit" data-testid="other-way" aria-describedby="other-way-cost">
        {text.otherWay}
      </button>
      <p class="hint" id="other-way-cost">
        {cost}
      </p>
    </form>
  );
}

/** The link that reloads the page, for browsers without script. */
export function Refresh({ view, text, label = text.refresh }: Props & { label?: string }) {
  return (
    <noscript>
      <Actions>
        <a class="button" href={pagePath(view)}>
          {label}
        </a>
      </Actions>
    </noscript>
  );
}
