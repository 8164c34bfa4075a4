import type { Messages } from './messages.ts';
import { TimeText } from './time-text.tsx';
import type { CheckoutView, PageState } from './view.ts';

/** States in which the customer can still pay before the deadline. */
const withDeadline: readonly PageState['kind'][] = ['open', 'challenge', 'wallet', 'pix', 'elsewhere'];

/**
 * The deadline: one line, which the script replaces with a bar in the last five minutes. The bar has the
 * line's place and height, so that the page does not shift.
 */
export function Deadline({ view, text }: { view: CheckoutView; text: Messages }) {
  if (!withDeadline.includes(view.state.kind)) return null;
  return (
    <p class="deadline" id="deadline">
      <span>
        <TimeText view={view} text={text.payBy} atMs={view.expiresAtMs} />
      </span>
      <span id="countdown" aria-hidden="true" data-text={text.timeLeft} />
    </p>
  );
}
