import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PaymentSearch, type SearchPosition, searchPayments } from '../../db/payments/payment-search.ts';
import type { Tenant } from '../../db/payments/payments.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { TenantReads } from '../../db/server/tenant-reads.ts';
import { Refusal } from '../../domain/refusals.ts';
import { orRefuse } from '../http/input.ts';
import { createConcurrencyLimit } from '../../operations/concurrency-limit.ts';
import { principalOf } from '../http/admission.ts';
import { rawQuery } from '../../http/request.ts';
import { readPayment } from '../../operations/payments/payment-reads.ts';
import { acceptsCsv } from './accepts-csv.ts';
import { csvOf } from '../../operations/payments/payments-csv.ts';
import { readCursor } from '../http/cursor.ts';
import { sealCursor, searchedPayments } from '../../operations/list-cursor.ts';
import { type SearchRequest, parseSearchQuery } from './search-query.ts';

/** The maximum number of CSV answers written at the same time: in this process, and to one merchant. */
const csvBounds = { all: 20, each: 2 };
/** Retry-After when too many CSV answers are being written, in seconds. */
const csvRetrySeconds = 5;

export interface SearchDeps {
  keyring: Keyring;
  lists: TenantReads;
}

/** Reads a search with its cursor. Refuses: invalid_query (400), validation_failed (422) for `q`. */
export function readSearch(
  { keyring }: Pick<SearchDeps, 'keyring'>,
  tenant: Tenant,
  query: string,
): Omit<SearchRequest, 'cursor'> & { after: SearchPosition | null } {
  const read = parseSearchQuery(query);
  const isPart = !read.ok && read.field === 'q';
  const { search, limit, cursor } = orRefuse(read, isPart ? 'validation_failed' : 'invalid_query');
  return { search, limit, after: readCursor(keyring, tenant, searchedPayments(search), cursor) };
}

/** Returns a page of results, as the API returns it. */
export async function searchPage(
  deps: SearchDeps,
  tenant: Tenant,
  { search, limit, after }: { search: PaymentSearch; limit: number; after: SearchPosition | null },
) {
  const { payments, next } = await deps.lists.read(tenant, (database) =>
    searchPayments(database, tenant, search, after, limit),
  );
  return {
    data: payments.map((payment) => readPayment(deps.keyring, payment)),
    meta: {
      nextCursor: next && sealCursor(deps.keyring, tenant, searchedPayments(search), next),
    },
  };
}

async function* following(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Registers the search over a merchant's payments. docs/readings.md. */
export function registerSearch(app: FastifyInstance, deps: SearchDeps): void {
  const csvLimit = createConcurrencyLimit(csvBounds);

  /**
   * GET /v1/search/payments: 200 `{data: Payment[], meta: {nextCursor}}`, newest first. With `Accept:
   * text/csv` it streams all matches. Refuses: invalid_query (400), validation_failed (422) for `q`,
   * rate_limited (429) if too many CSV answers are being written.
   */
  const search = async (request: FastifyRequest, reply: FastifyReply) => {
    const tenant = principalOf(request);
    const asked = readSearch(deps, tenant, rawQuery(request));
    void reply.header('Vary', 'Accept');
    if (!acceptsCsv(request.headers.accept)) return searchPage(deps, tenant, asked);
    const release = csvLimit.take(tenant.merchantId);
    if (release === null) throw new Refusal('rate_limited', { retryAfterSeconds: csvRetrySeconds });
    const pieces = csvOf(deps, tenant, asked.search, asked.after);
    // The first piece is read before the answer begins, so that an unavailable database still gives a 503.
    const first = await pieces.next().catch((error: unknown) => {
      release();
      throw error;
    });
    const stream = Readable.from(following(first, pieces), { highWaterMark: 1 });
    stream.once('close', release);
    // The caller has already disconnected, so nothing else would end the stream.
    if (reply.raw.destroyed) stream.destroy();
    return reply
      .type('text/csv; charset=utf-8; header=present')
      .header('Content-Disposition', 'attachment; filename="payments.csv"')
      .send(stream);
  };
  app.get('/v1/search/payments', search);
}
