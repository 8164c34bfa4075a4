import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { type AttemptReference, type Charge, type PaymentNetwork, ProviderUnavailable } from './ports.ts';

const url = z.url().max(2048);

const statuses = ['captured', 'declined', 'failed', 'requires_action', 'pending', 'voided'] as const;

const actionSchema = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('threeDS'),
      clientSecret: z.string().min(1).max(2048),
      publishableKey: z.string().min(1).max(255),
      url,
    }),
    z.object({ kind: z.literal('wallet'), url, expiresAt: z.iso.datetime() }),
    z.object({
      kind: z.literal('pix'),
      code: z.string().min(1).max(1024),
      url,
      expiresAt: z.iso.datetime(),
      amountBrl: z
        .object({
          amountCents: z.number().int().min(1).max(100_000_000_000),
          rate: z.string().regex(/^\d{1,6}(\.\d{1,8})?$/),
          rateAt: z.iso.datetime(),
        })
        .optional(),
    }),
  ])
  .nullable();

/** An unknown status or step makes the charge unreadable, but does not make the call fail. */
const chargeSchema = z.object({
  chargeId: z.string().min(1).max(255),
  key: z.string(),
  paymentId: z.string(),
  amountCents: z.number().int(),
  currency: z.string().max(16),
  status: z.enum([...statuses, 'unreadable']).catch('unreadable'),
  failureCode: z.string().nullable(),
  message: z.string().nullable(),
  card: z.object({ brand: z.string().min(1).max(64), last4: z.string().regex(/^\d{4}$/) }).nullable(),
  action: actionSchema.or(z.literal('unknown')).catch('unknown'),
  stepDone: z.boolean().nullable().default(null),
  capturedAt: z.iso.datetime().nullable().catch(null),
});

/** Returns the charge of this key. A charge of another key proves nothing about it. */
function chargeOf(answer: z.infer<typeof chargeSchema> | null, key: string): Charge {
  if (answer === null) throw new ProviderUnavailable('network', true, 'the answer has no charge');
  const { capturedAt, action, status, ...charge } = answer;
  const isReadable = charge.key === key && action !== 'unknown';
  return {
    ...charge,
    status: isReadable ? status : 'unreadable',
    action: action === 'unknown' ? null : action,
    capturedAtMs: status === 'captured' && capturedAt !== null ? Date.parse(capturedAt) : null,
  };
}

/** Abilities of the simulated network that a real one may lack. */
export interface NetworkAbilities {
  /**
   * How long after its sending an unseen request may still arrive, in ms; null: the network closes unseen
   * keys on request.
   */
  unseenKeyHorizonMs: number | null;
}

/** Returns the port on the network's protocol (docs/simulators.md). */
export function createPaymentNetwork(
  http: ProviderHttp,
  { unseenKeyHorizonMs }: NetworkAbilities = { unseenKeyHorizonMs: null },
): PaymentNetwork {
  const chargePath = (key: string, verb = ''): string => `/v1/charges/${encodeURIComponent(key)}${verb}`;

  const close = async ({ key, paymentId, amountCents }: AttemptReference): Promise<Charge> => {
    const answer = await http.call({
      method: 'POST',
      path: chargePath(key, '/void'),
      body: { paymentId, attemptId: key, amountCents },
      schema: chargeSchema,
    });
    return chargeOf(answer.body, key);
  };

  return {
    async charge({ key, ...request }) {
      const { providerReference: _none, cardReference: _notSent, ...body } = request;
      const answer = await http.call({
        method: 'POST',
        path: '/v1/charges',
        idempotencyKey: key,
        body: { ...body, attemptId: key, currency: 'USD' },
        schema: chargeSchema,
        expected: [422],
      });
      return answer.status === 422 ? 'token_rejected' : chargeOf(answer.body, key);
    },
    async lookup({ key }) {
      const answer = await http.call({
        method: 'GET',
        path: chargePath(key),
        schema: chargeSchema,
        expected: [404],
      });
      return answer.status === 404 ? null : chargeOf(answer.body, key);
    },
    async confirm({ key }) {
      const answer = await http.call({
        method: 'POST',
        path: chargePath(key, '/confirm'),
        schema: chargeSchema,
      });
      return chargeOf(answer.body, key);
    },
    cancel: close,
    prepare: null,
    findPrepared: null,
    declinesStayOpen: false,
    confirmsByItself: false,
    unseenKeys:
      unseenKeyHorizonMs === null
        ? { closedBy: 'tombstone', close }
        : { closedBy: 'horizon', afterMs: unseenKeyHorizonMs },
  };
}
