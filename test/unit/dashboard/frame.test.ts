import { renderPage } from '../../../src/dashboard/parts/document.tsx';
import type { Frame } from '../../../src/dashboard/parts/view.ts';
import { partial } from '../../support/partial.ts';

const frame = partial<Frame>({
  base: '/dashboard/sandbox',
  environment: 'sandbox',
  memberName: 'Ada',
  role: 'owner',
  csrf: 'token',
  timeZone: 'UTC',
  attacked: null,
  freshForMs: 0,
});

it.each([
  ['Corner Roasters', 'C'],
  ['\u{1F355} Pizza', '\u{1F355}'],
  [' \u00e9toile', '\u00c9'],
  ['', '·'],
])('the tile of a shop called "%s" has the letter %s', (merchantName, letter) => {
  const page = renderPage({ ...frame, merchantName }, { title: 'Home', section: 'home' }, null);
  expect(/<span class="mark"[^>]*>([^<]*)</.exec(page)?.[1]).toBe(letter);
});
