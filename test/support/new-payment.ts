import { randomUUID } from 'node:crypto';
import { type NewPayment, insertPayment } from '../../src/db/payments/payments.ts';
import type { Database } from '../../src/db/server/database.ts';

/**
 * Inserts the rows of a payment in custom mode whose checkout is open for half an hour, without a request or
 * a workflow. Returns its id. `given`: the fields in which it differs from the usual payment.
 */
export async function insertNewPayment(
  database: Database,
  given: Pick<NewPayment, 'merchantId'> & Partial<NewPayment>,
): Promise<string> {
  const { id = randomUUID(), merchantId, environment = 'sandbox', createdAt = new Date() } = given;
  const inMinutes = (minutes: number): Date => new Date(createdAt.getTime() + minutes * 60_000);
  await insertPayment(
    database,
    {
      id,
      environment,
      checkoutMode: 'custom',
      reference: 'order-1',
      amountCents: 2500,
      customerEmail: null,
      customerName: null,
      customerPrivateSealed: null,
      metadata: {},
      description: null,
      lineItems: null,
      localeAuto: false,
      successUrl: 'https://shop.example/ok',
      cancelUrl: 'https://shop.example/no',
      fixedMethod: null,
      offeredMethods: ['card'],
      embeddingOrigin: null,
      frameOrigins: [],
      locale: 'en',
      checkoutUrlSealed: Buffer.from('x'),
      checkoutTokenHash: Buffer.from(id),
      creationKeyHash: Buffer.from(id),
      vaultId: id.slice(0, 31),
      connectorId: null,
      createdAt,
      expiresAt: inMinutes(30),
      captureExpiresAt: inMinutes(given.checkoutMode === 'hosted' ? 30 : 10),
      ...given,
    },
    { merchantId, environment, operation: 'create', key: id, bodyHash: Buffer.from(id) },
    86_400,
  );
  return id;
}
