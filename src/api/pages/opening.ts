import type { FastifyRequest } from 'fastify';
import { recordCheckoutOpened } from '../../db/payments/checkout-page.ts';
import type { Queryable } from '../../db/server/database.ts';
import type { Visit } from './page-request.ts';

/**
 * Returns whether a browser loads the page in order to show it. Programs that fetch links (previews of
 * messages, mail scanners) send no `Sec-Fetch-Mode`, and a browser marks a prefetch.
 * https://www.w3.org/TR/fetch-metadata/
 */
export const isOpening = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  !/prefetch|prerender|preview/.test([headers['sec-purpose'], headers['purpose']].flat().join(' '));

/**
 * Records that the customer opened the hosted page, once per payment. ADR 0081. Never throws: the page is
 * shown even if this fails.
 */
export async function recordOpening(
  deps: { database: Queryable },
  request: FastifyRequest,
  { payment }: Visit,
): Promise<void> {
  if (payment.wasOpened || payment.checkoutMode !== 'hosted') return;
  try {
    await recordCheckoutOpened(deps.database, payment.id);
  } catch (error) {
    request.log.warn(
      { err: error, paymentId: payment.id },
      'the opening of a checkout could not be recorded',
    );
  }
}
