import fastify from 'fastify';
import { cardFields } from '../../../../src/api/pages/checkout-actions.ts';
import type { Keyring } from '../../../../src/crypto/keyring.ts';
import { Refusal } from '../../../../src/domain/refusals.ts';
import { databaseOf, partial } from '../../../support/partial.ts';

const hash = Buffer.from('token');

/** Answers the card fields of a hosted page whose limits refuse, while its state cannot be read. */
async function refusedWith(refusal: Refusal) {
  let reads = 0;
  const payment = { id: 'payment', checkoutMode: 'hosted', locale: 'en', offeredMethods: ['card'] };
  const database = databaseOf(async () => {
    reads += 1;
    if (reads > 1) throw new Refusal('service_unavailable');
    return { rows: [payment] };
  });
  const deps = partial<Parameters<typeof cardFields>[0]>({
    database,
    keyring: partial<Keyring>({ lookupHashes: () => [hash] }),
    limiter: { take: () => Promise.reject(refusal) },
    publicUrl: 'https://pay.example',
  });
  const app = fastify();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body, done) => done(null, body),
  );
  app.post('/c/:token/card-fields', cardFields(deps));
  return app.inject({
    method: 'POST',
    url: '/c/secret/card-fields',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ form: hash.toString('base64url') }).toString(),
  });
}

it('names a Retry-After in every 503 to the script of a page', async () => {
  const { statusCode, headers } = await refusedWith(new Refusal('service_unavailable'));
  expect({ statusCode, retryAfter: headers['retry-after'] }).toEqual({ statusCode: 503, retryAfter: '2' });
});

it('keeps the Retry-After that a refusal has', async () => {
  const { statusCode, headers } = await refusedWith(new Refusal('rate_limited', { retryAfterSeconds: 7 }));
  expect({ statusCode, retryAfter: headers['retry-after'] }).toEqual({ statusCode: 429, retryAfter: '7' });
});
