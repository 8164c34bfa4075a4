import { clockTime } from './format.ts';
import type { Messages } from './messages.ts';
import type { CheckoutView, PageState } from './view.ts';

/** States in which the deadline still means something to the customer. */
const withDeadline: readonly PageState['kind'][] = ['open', 'challenge', 'wallet', 'pix', 'elsewhere'];

/**
 * Until when to pay: one quiet line, which the script turns into a bar in the last five minutes. The bar has
 * the line's place and height, so that nothing moves.
 */
export function Deadline({ view, text }: { view: CheckoutView; text: Messages }) {
  if (!withDeadline.includes(view.state.kind)) return null;
  return (
    <p class="deadline" id="deadline">
      <span>
        {text.payBy}{' '}
        <time dateTime={new Date(view.expiresAtMs).toISOString()}>
          {clockTime(view.locale, view.expiresAtMs)}
        </time>
      </span>
      <span id="countdown" aria-hidden="true" data-text={text.timeLeft} />
    </p>
  );
}
