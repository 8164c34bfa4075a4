import { openApiDocument } from '../../../../src/api/docs/document.ts';
import { movesMoney } from '../../../../src/api/http/held-writes.ts';

/** Writes of the merchant API that neither create nor move money. */
const harmless = [
  'DELETE /v1/branding',
  'DELETE /v1/webhook-endpoints/:id',
  'PATCH /v1/branding',
  'PATCH /v1/webhook-endpoints/:id',
  'POST /v1/events/:id/redeliver',
  'POST /v1/payments/:id/capture',
  'POST /v1/webhook-endpoints',
  'POST /v1/webhook-endpoints/:id/replay',
  'POST /v1/webhook-endpoints/:id/rotate-secret',
  'POST /v1/webhook-endpoints/:id/test',
  'PUT /v1/disputes/:id/evidence',
];

it('holds every write of the merchant API but those that neither make nor move money', () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument('https://pay.example'))) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const free = Object.entries(paths).flatMap(([path, methods]) =>
    ['post', 'put', 'patch', 'delete']
      .filter((method) => method in methods)
      .map((method) => [method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1')] as const)
      .filter(([method, url]) => !movesMoney(method, url))
      .map(([method, url]) => `${method} ${url}`),
  );
  expect(free.toSorted()).toEqual(harmless);
});

it.each([
  ['POST', '/c/:token/pay', true],
  ['POST', '/c/:token/leave-step', true],
  ['POST', '/c/:token/card-fields', false],
  ['GET', '/c/:token', false],
  ['GET', '/l/:slug', true],
  ['GET', '/a/:token/return', true],
  ['POST', '/dashboard/:environment/payments/:id/refunds', true],
  ['POST', '/dashboard/:environment/payments/:id/refunds/approve', true],
  ['POST', '/dashboard/:environment/payments/:id/sandbox', true],
  ['POST', '/dashboard/:environment/refunds/:id/cancel', true],
  ['POST', '/dashboard/:environment/disputes/:id/accept', true],
  ['POST', '/dashboard/:environment/disputes/:id/evidence', false],
  ['POST', '/dashboard/:environment/team/invitations', false],
  ['POST', '/dashboard/sign-in', false],
  ['POST', '/callbacks/network', false],
  ['GET', '/v1/payments', false],
  ['GET', '/v1/payments/:id', false],
])('%s %s is held: %s', (method, url, held) => {
  expect(movesMoney(method, url)).toBe(held);
});
