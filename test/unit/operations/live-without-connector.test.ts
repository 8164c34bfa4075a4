import type { Keyring } from '../../../src/crypto/keyring.ts';
import type { Principal } from '../../../src/db/merchants/api-keys.ts';
import type { StartQueue } from '../../../src/operations/payments/start-queue.ts';
import type { Connectors, ProviderPorts } from '../../../src/providers/connectors.ts';
import { type CreatePaymentDeps, createPayment } from '../../../src/operations/payments/create-payment.ts';
import { parseCreatePayment } from '../../../src/api/payments/create.ts';
import { databaseOf, partial } from '../../support/partial.ts';
import { validCreate } from '../../support/shop.ts';

/** A database that has no key, and must not be asked to store anything. */
const database = databaseOf(async (text) => {
  if (text.includes('INSERT')) throw new Error('something was stored');
  return { rows: [], rowCount: 0 };
});

const create = (
  connector: Principal['connector'],
  simulatedLive: boolean,
  fields: Record<string, unknown> = {},
) => {
  const principal: Principal = {
    scopes: null,
    allowFrom: null,
    keyId: 'key',
    merchantId: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a11',
    environment: 'live',
    methods: ['card', 'wallet', 'pix'],
    customMode: true,
    customActions: false,
    hostedForm: false,
    embeddingOrigins: [],
    connector,
  };
  const parsed = parseCreatePayment({ ...validCreate, ...fields }, { allowHttpLoopback: false });
  if (!parsed.ok) throw new Error('the body is not valid');
  const capture = partial<ProviderPorts['capture']>({ frameUrlOf: null });
  const deps = partial<CreatePaymentDeps>({
    database,
    keyring: partial<Keyring>({ lookupHashes: () => [] }),
    simulatedLive,
    connectors: partial<Connectors>({ portsOf: async () => partial<ProviderPorts>({ capture }) }),
    starts: partial<StartQueue>({ isFull: false }),
    now: Date.now,
  });
  return createPayment(
    deps,
    principal,
    {
      merchantId: principal.merchantId,
      environment: 'live',
      operation: 'create_payment',
      key: 'k',
      bodyHash: Buffer.alloc(32),
    },
    parsed.command,
  );
};

const stripe = { id: '01980a5c-7a64-7c3e-9d1f-2b6f0c3e8a12', kind: 'stripe' } as const;

describe('a live payment', () => {
  it('is refused in production while its merchant has no connector, and nothing is stored', async () => {
    await expect(create(null, false)).rejects.toMatchObject({
      code: 'validation_failed',
      field: 'environment',
      message: 'live payments are not set up: this account has no payment provider yet',
    });
  });

  it.each([
    [{ amountCents: 100_000_000, checkoutMode: 'custom' }, 'amountCents'],
    [{ checkoutMode: 'hosted' }, 'checkoutMode'],
    [{ paymentMethod: 'wallet' }, 'paymentMethod'],
  ])('is refused when its network does not accept it: %j', async (fields, field) => {
    await expect(create(stripe, false, fields)).rejects.toMatchObject({ code: 'validation_failed', field });
  });
});
