import { withTime } from './format.ts';
import type { CheckoutView } from './view.ts';

interface Props {
  view: Pick<CheckoutView, 'locale'>;
  /** A text with `{time}`. */
  text: string;
  atMs: number;
}

/**
 * A text with its clock time marked as `<time>`, so that the script can show it in the customer's time zone.
 */
export function TimeText({ view, text, atMs }: Props) {
  const { before, articles, time, after } = withTime(view.locale, text, atMs);
  return (
    <>
      {before}
      <time dateTime={new Date(atMs).toISOString()} data-articles={articles === '' ? undefined : articles}>
        {time}
      </time>
      {after}
    </>
  );
}
