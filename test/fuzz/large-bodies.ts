import { randomUUID } from 'node:crypto';
import { bodyLimits } from '../../src/http/body-limits.ts';
import { maxMetadataBytes } from '../../src/api/http/metadata.ts';
import { maxEvidenceCharacters } from '../../src/domain/dispute.ts';
import { type Shop, validCreate } from '../support/shop.ts';
import { disputeOf, keyed, paidPayment } from '../support/refunds-and-disputes.ts';

/** A valid body of a route with the largest content; `limit` is the most that the route reads, in bytes. */
export interface LargeBody {
  name: string;
  method: string;
  path: string;
  text: string;
  limit: number;
  /** The statuses with which a valid body of any size up to the limit may be answered. */
  statuses: readonly number[];
}

/** Returns every UTF-16 unit of a text as an escape: valid JSON of the greatest length. */
const escaped = (text: string): string =>
  text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns bodies at the limit of each route that accepts a large one. docs/security.md, "Floods". */
export async function largeBodies(shop: Shop): Promise<LargeBody[]> {
  const paid = await paidPayment(shop, '4242424242424242', { amountCents: 100_000_000 });
  const open = await shop.customPayment();
  // A disputed payment can no longer be refunded.
  const disputed = await paidPayment(shop);
  await keyed(shop, `/v1/sandbox/payments/${disputed}/disputes`, { reason: 'fraudulent' });
  const dispute = String((await disputeOf(shop, disputed))['id']);
  // `{"k":"…"}` adds eight bytes to the text.
  const metadata = `{"k":"${escaped('m'.repeat(maxMetadataBytes - 8))}"}`;
  const create = JSON.stringify(validCreate).replace(/}$/, `,"metadata":${metadata}}`);
  const evidence = `{"evidence":{"story":"${escaped('e'.repeat(maxEvidenceCharacters))}"}}`;
  const logo = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><!--${'c'.repeat(250_000)}--><path d="M1 1h7v7z"/></svg>`,
  ).toString('base64');
  const token = `{"cardToken":"${escaped('😀'.repeat(4_096))}","captureReference":"${escaped('r'.repeat(31))}"}`;
  const payment = `/v1/payments/${open}`;
  return [
    large('create', ['POST', '/v1/payments'], create, bodyLimits.creation, [201]),
    large(
      'refund',
      ['POST', `/v1/payments/${paid}/refunds`],
      `{"amountCents":1,"metadata":${metadata}}`,
      bodyLimits.metadata,
      [201],
    ),
    large('evidence', ['PUT', `/v1/disputes/${dispute}/evidence`], evidence, bodyLimits.evidence, [200]),
    large('branding', ['PATCH', '/v1/branding'], `{"logo":"${logo}"}`, bodyLimits.branding, [200]),
    // An unknown token; the previous body may have closed the fence. A long run outlives the payment.
    large('pay', ['POST', `${payment}/pay`], token, bodyLimits.usual, [409, 410, 422]),
    large('capture', ['POST', `${payment}/capture`], '{}', bodyLimits.small, [200, 409, 410]),
  ];
}

const large = (
  name: string,
  [method, path]: readonly [method: string, path: string],
  text: string,
  limit: number,
  statuses: readonly number[],
): LargeBody => ({ name, method, path, text, limit, statuses });

/**
 * Sends the body unchanged, padded with white space to the last byte that the route reads, and one byte
 * longer, which is refused with 400.
 */
export async function sendLargeBody(
  shop: Shop,
  { name, method, path, text, limit, statuses }: LargeBody,
): Promise<{ outcome: string; wrong: string | null }[]> {
  const outcomes: { outcome: string; wrong: string | null }[] = [];
  const sizes: [number, readonly number[]][] = [
    [text.length, statuses],
    [limit, statuses],
    [limit + 1, [400]],
  ];
  for (const [bytes, allowed] of sizes) {
    const { status } = await shop.call(method, path, text.padEnd(bytes), {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    });
    const wrong = allowed.includes(status) ? null : `${name} of ${bytes} bytes answered ${status}`;
    outcomes.push({ outcome: `${name} of ${bytes} bytes ${status}`, wrong });
  }
  return outcomes;
}
