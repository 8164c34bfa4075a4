import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Address } from '../../../src/dashboard/parts/parts.tsx';

it.each([
  ['grace.hopper@example.org', 'grace.hopper@<wbr/>example.org'],
  ['https://shop.example/ok', 'https://<wbr/>shop.example/<wbr/>ok'],
  ['https://shop.example/', 'https://<wbr/>shop.example/'],
  ['grace', 'grace'],
])('%s can break after "@" and "/" only', (of, html) => {
  expect(renderToString(h(Address, { of }))).toBe(html);
});
